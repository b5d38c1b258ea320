// An OTLP collector on loopback. Protobuf is read by OpenTelemetry's own definitions, not by the library that writes it.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import definitions from 'otlp-definitions/build/src/generated/root.js';

/** A log record, with its attributes as an object. Numbers of 64 bits are texts. */
export interface TakenRecord {
  eventName: string;
  timeUnixNano: string;
  severityNumber: number;
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
}

interface TakenRequest {
  headers: IncomingHttpHeaders;
  path: string;
  /** The body as JSON, whichever encoding it came in. */
  text: string;
  records: TakenRecord[];
}

interface AnyValue {
  stringValue?: string;
  intValue?: number | string;
  boolValue?: boolean;
}
type KeyValue = { key: string; value: AnyValue };
interface Exported {
  resourceLogs: {
    resource: { attributes: KeyValue[] };
    scopeLogs: {
      logRecords: { eventName: string; timeUnixNano: string; severityNumber: number; attributes: KeyValue[] }[];
    }[];
  }[];
}

interface Message {
  decode(body: Buffer): object;
  toObject(message: object, options: { longs: StringConstructor }): Exported;
  encode(fields: object): { finish(): Uint8Array };
}
interface Definitions {
  opentelemetry: {
    proto: { collector: { logs: { v1: { ExportLogsServiceRequest: Message; ExportLogsServiceResponse: Message } } } };
  };
}
// Its types do not say what it holds.
const { ExportLogsServiceRequest: REQUEST, ExportLogsServiceResponse: RESPONSE } = (
  definitions as unknown as Definitions
).opentelemetry.proto.collector.logs.v1;

/** A collector's answer that took only some records, in protobuf. */
export const partialAnswer = (rejectedLogRecords: number): Buffer =>
  Buffer.from(RESPONSE.encode({ partialSuccess: { rejectedLogRecords, errorMessage: 'no' } }).finish());

const asObject = (list: readonly KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(
    list.map(({ key, value: { stringValue, intValue, boolValue } }) => [
      key,
      stringValue ?? boolValue ?? Number(intValue),
    ]),
  );

const decoded = (body: Buffer, type: string | undefined): Exported =>
  type === 'application/json'
    ? JSON.parse(body.toString('utf8'))
    : REQUEST.toObject(REQUEST.decode(body), { longs: String });

const recordsIn = ({ resourceLogs }: Exported): TakenRecord[] =>
  resourceLogs.flatMap(({ resource, scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) =>
      logRecords.map(({ eventName, timeUnixNano, severityNumber, attributes }) => ({
        eventName,
        timeUnixNano,
        severityNumber,
        attributes: asObject(attributes),
        resource: asObject(resource.attributes),
      })),
    ),
  );

/** Answers a request that was read; without a second argument, all is taken. */
export type Answer = (response: ServerResponse, request: TakenRequest) => void;

export const startCollector = async (first: Answer = (response) => void response.end()) => {
  const requests: TakenRequest[] = [];
  let answer = first;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const exported = decoded(gunzipSync(Buffer.concat(chunks)), request.headers['content-type']);
      const { headers, url: path = '' } = request;
      const taken = { headers, path, text: JSON.stringify(exported), records: recordsIn(exported) };
      requests.push(taken);
      answer(response, taken);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/logs`,
    requests,
    records: (): TakenRecord[] => requests.flatMap(({ records }) => records),
    answers: (now: Answer): void => {
      answer = now;
    },
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
};
