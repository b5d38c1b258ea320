import type { Governance } from './types.ts';

/**
 * The sections of the raw twin discipline that rules enforce, with hashes of their words when the rules were written. If a
 * section has changed: read it again, change the rules, and then the hash.
 */
export const TEXTS = {
  criteria: {
    heading: '3. When a new *_raw twin is required',
    sha256: '5fba8a32079540f3317852abe61482d1bc3356be1b30e187605d44a4b91c4bb1',
  },
  pattern: {
    heading: '2. The *_raw twin pattern',
    sha256: 'e0531bb517d17a42c684fca7a6a6717c078533c2c90af42d758ef3857db78013',
  },
  registration: {
    heading: '4.2 Add the tool registration to server/mcp/index.ts',
    sha256: '11b414ecb186afbd4d2db69b1a84741e752ba950a5d0d080bcde7a683364d716',
  },
  bump: {
    heading: '4.4 Bump SCHEMA_VERSION in server/tools/schema-introspection.ts',
    sha256: '699712d4777e10835e05aeaa450a63a55f17e89686cabd815c8797123788ad87',
  },
  flat: {
    heading: '5. Permissive-flat MCP layer rule',
    sha256: '420d42371fcc31d7405f34dc64781f7ca50ead8a7235654a2c69bf9a16759352',
  },
  migration: {
    heading: '6. Migration workflow — deprecating a legacy tool in favour of its raw twin',
    sha256: '8edb2026b6e929e14ca18bb263e56e98af857d77fdac10a9d81f626c4f40874b',
  },
} as const satisfies Record<string, Governance>;
