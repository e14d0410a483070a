/** The addon's functions on sockets of the HTTP server, by descriptor. */

export interface NativeSockets {
  /**
   * Duplicates a descriptor, for another thread to own and close. Throws `io` if it is not open or
   * no descriptor is left.
   */
  copyDescriptor(descriptor: number): number;
  /**
   * Sends as much as the socket takes now. Returns the bytes left; -1 = all, as for a text over 8
   * KiB.
   */
  readonly sendNow: (descriptor: number, text: string, body: Uint8Array | null) => number;
  /**
   * The sent bytes that the peer's system has not confirmed; 0 if the descriptor is no socket, and
   * if the system is not Linux.
   */
  readonly unconfirmedBytes: (descriptor: number) => number;
}
