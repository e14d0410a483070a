/** The part of uWebSockets.js that the transport uses. */

export interface UwsRequest {
  getUrl(): string;
  getQuery(): string | undefined;
  getCaseSensitiveMethod(): string;
  /** All values of the header; the library may join them. */
  getHeader(name: string): string;
  forEach(visit: (name: string, value: string) => void): void;
}

export interface UwsResponse {
  /** Text of the socket's address; empty if the socket is gone. */
  getRemoteAddressAsText(): ArrayBuffer;
  onAborted(handler: () => void): UwsResponse;
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): UwsResponse;
  onWritable(handler: (offset: number) => boolean): UwsResponse;
  pause(): void;
  resume(): void;
  cork(callback: () => void): UwsResponse;
  writeStatus(status: string): UwsResponse;
  writeHeader(name: string, value: string): UwsResponse;
  write(piece: Uint8Array | string): boolean;
  end(body?: Uint8Array | string, closeConnection?: boolean): UwsResponse;
  /**
   * Does not keep the rest that the socket does not take. The second result is true if the answer
   * is complete.
   */
  tryEnd(rest: Uint8Array, wholeSize: number): [boolean, boolean];
  endWithoutBody(): UwsResponse;
  close(): UwsResponse;
}

/** An opaque handle of the native side. */
type UwsListenSocket = object;

/** An app's address as a number. */
type UwsDescriptor = number;

interface UwsTlsOptions {
  readonly cert_file_name: string;
  readonly key_file_name: string;
}

export interface UwsApp {
  /** The handler gets 1 when a connection begins and -1 when it ends. */
  filter(handler: (response: UwsResponse, change: number) => void): UwsApp;
  any(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): UwsApp;
  listen(
    host: string,
    port: number,
    options: number,
    callback: (socket: UwsListenSocket | false) => void,
  ): UwsApp;
  close(): UwsApp;
  /** The argument for addChildAppDescriptor; opaque. */
  getDescriptor(): UwsDescriptor;
  /** Distributes accepted connections to the children in turn. */
  addChildAppDescriptor(descriptor: UwsDescriptor): void;
  removeChildAppDescriptor(descriptor: UwsDescriptor): void;
}

export interface UwsModule {
  App(): UwsApp;
  /** Throws if the files cannot be used. */
  SSLApp(options: UwsTlsOptions): UwsApp;
  us_listen_socket_close(socket: UwsListenSocket): void;
  us_socket_local_port(socket: UwsListenSocket): number;
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
}
