// The entry of `konnichiwagwan/gateway`; its types and their documentation are in gateway.d.ts, which ships unchanged.
export { describeTwin } from './describe-twin.ts';
export { DefinitionError, PayloadError } from './errors.ts';
export { parsePayload } from './payload.ts';
export { rawTwin } from './register.ts';
export { toolsList } from './tools-list.ts';
export { createTwin } from './twin.ts';
