// The entry of `konnichiwagwan/validate`; its types and their documentation are in validate.d.ts, which ships unchanged.
export { enableMcpValidate } from './enable.ts';
export { fromCommander } from './from-commander.ts';
export { fromOclif } from './from-oclif.ts';
export { fromYargs } from './from-yargs.ts';
export { exitCode, mcpValidate } from './mcp-validate.ts';
