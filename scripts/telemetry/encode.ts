// Encodes events as OTLP's requests for logs, and reads a collector's answer.
import { JsonLogsSerializer, ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer';
import { attempt } from '../contract/attempt.ts';
import type { TelemetryEvent } from './events.ts';

declare const __version: string;

export type Encoding = 'json' | 'protobuf';

const SERIALIZERS = { json: JsonLogsSerializer, protobuf: ProtobufLogsSerializer };
export const TYPES = { json: 'application/json', protobuf: 'application/x-protobuf' };

type LogRecord = Parameters<typeof JsonLogsSerializer.serializeRequest>[0][number];

/** OpenTelemetry's numbers for a warning and an information. */
const [WARN, INFO] = [13, 9];

/** Milliseconds as seconds and nanoseconds. */
const time = (ms: number): [number, number] => [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];

/** One request with all of them. @param now ms since 1970 */
export const encoded = (events: readonly TelemetryEvent[], encoding: Encoding, now: number): Buffer => {
  const resource = { attributes: { 'service.name': 'konnichiwagwan', 'service.version': __version } };
  const instrumentationScope = { name: 'konnichiwagwan', version: __version };
  const records = events.map(({ name, at, isWarning, attributes }) => ({
    hrTime: time(at),
    hrTimeObserved: time(now),
    severityNumber: isWarning ? WARN : INFO,
    severityText: isWarning ? 'WARN' : 'INFO',
    eventName: name,
    resource,
    instrumentationScope,
    attributes,
    droppedAttributesCount: 0,
  }));
  // The serializers read no more of a record than this.
  return Buffer.from(SERIALIZERS[encoding].serializeRequest(records as unknown as LogRecord[]) ?? []);
};

/** How many events of a request the collector refused; 0 if none, or if its answer cannot be read. */
export const rejectedIn = (body: Buffer, encoding: Encoding): number => {
  const { partialSuccess } = attempt(() => SERIALIZERS[encoding].deserializeResponse(body), {});
  const rejected = Number(partialSuccess?.rejectedLogRecords);
  return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
};
