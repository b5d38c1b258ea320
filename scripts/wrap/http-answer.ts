// How an answer over HTTP is read.
import type Http from 'node:http';
import { Pieces } from '../sources/pieces.ts';

/** A body on one line. */
export const onOneLine = (body: Buffer): Buffer => {
  const line = Buffer.from(body);
  for (let at = line.indexOf(10); at !== -1; at = line.indexOf(10, at)) line[at] = 32;
  for (let at = line.indexOf(13); at !== -1; at = line.indexOf(13, at)) line[at] = 32;
  return line;
};

export const isEventStream = ({ headers }: Http.IncomingMessage): boolean =>
  /^text\/event-stream\b/i.test(String(headers['content-type']));

/** Reads a body. @param done gets undefined for one that broke off, or is longer */
export const collect = (
  response: Http.IncomingMessage,
  longest: number,
  done: (body: Buffer | undefined) => void,
): void => {
  const pieces = new Pieces();
  let isTooLong = false;
  response.on('data', (chunk: Buffer) => {
    if (isTooLong) return;
    isTooLong = pieces.length + chunk.length > longest;
    if (isTooLong) response.destroy();
    else pieces.add(chunk);
  });
  response.on('error', () => {});
  response.on('close', () => done(response.complete && !isTooLong ? pieces.take() : undefined));
};
