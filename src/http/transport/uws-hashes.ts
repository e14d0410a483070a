/**
 * SHA-256 of the binaries of uWebSockets.js, by the package's name in @uwsjs. The server compares
 * them before it loads one. scripts/uws-binaries.mjs reads these lines, and has the hashes of the
 * packages' other files.
 */
export const uwsHashes: Readonly<Record<string, string>> = {
  'linux-x64-20': '4d482084b665c225892917ee0e9b9572d89eaa6f3dc200ff5e536293d3456c89',
  'linux-x64-22': 'f687e7c3666b5cca9d355184bbf07bb0550f5ba0d3ffd453248ccfec552dde6c',
  'linux-x64-24': '177efdc682425d754474bd30f9586c487fa6694f790f3406a23885d0e61c07a0',
  'linux-x64-26': '604375741bf77780b34e7e299af9274cb1f56d73732201d19e3d8d8448176795',
};
