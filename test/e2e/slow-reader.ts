/** A client that reads an answer in small sips and otherwise leaves it in the socket's buffers. */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A count of bytes, not a time, so that a slow machine does not make a fast reader. */
const sipBytes = 256 * 1024;
const pauseMs = 50;

export class SlowReader {
  private readonly response: http.IncomingMessage;
  private readonly ended: Promise<void>;
  private sampleCount = 0;
  private tail = '';
  private sipLeft = 0;
  private endSip: () => void = () => {
    // No caller waits for a sip yet.
  };

  private constructor(response: http.IncomingMessage) {
    this.response = response;
    response.on('data', (chunk: Buffer) => {
      this.count(chunk.toString('latin1'));
      this.sipLeft -= chunk.byteLength;
      if (this.sipLeft <= 0) this.endSip();
    });
    response.pause();
    this.ended = new Promise((resolve, reject) => {
      response.on('error', reject);
      response.on('end', resolve);
    });
  }

  static async open(port: number, path: string): Promise<SlowReader> {
    return new Promise((resolve, reject) => {
      const request = http.get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
        resolve(new SlowReader(response));
      });
      request.on('error', reject);
    });
  }

  get samplesSoFar(): number {
    return this.sampleCount;
  }

  async readSome(): Promise<void> {
    this.sipLeft = sipBytes;
    const sipped = new Promise<void>((resolve) => {
      this.endSip = () => {
        this.response.pause();
        resolve();
      };
    });
    this.response.resume();
    await Promise.race([sipped, this.ended]);
    await sleep(pauseMs);
  }

  /** Reads to the end. Resolves with the number of samples in the whole answer. */
  async readRest(): Promise<number> {
    this.sipLeft = Infinity;
    this.response.resume();
    await this.ended;
    return this.sampleCount;
  }

  // Counts the word that every sample has once; it may lie across two pieces.
  private count(text: string): void {
    const word = '"value":';
    const joined = this.tail + text;
    this.sampleCount += joined.split(word).length - 1;
    this.tail = joined.slice(-(word.length - 1));
  }
}
