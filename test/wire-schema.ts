/** The schema of an entry. The type of a side without the field is null; whole tools and commands have no field. */
const ENTRY = {
  type: 'object',
  required: ['command', 'field', 'cli_type', 'mcp_type'],
  additionalProperties: false,
  properties: {
    command: { type: 'string' },
    field: { type: ['string', 'null'] },
    cli_type: { type: ['string', 'null'] },
    mcp_type: { type: ['string', 'null'] },
  },
} as const;

const entries = (cliType: string, mcpType: string, fieldType: string | readonly string[] = 'string') =>
  ({
    type: 'array',
    items: {
      ...ENTRY,
      properties: {
        ...ENTRY.properties,
        field: { type: fieldType },
        cli_type: { type: cliType },
        mcp_type: { type: mcpType },
      },
    },
  }) as const;

const LISTS = ['added', 'removed', 'changed', 'missing_from_mcp'] as const;

const DATA = {
  type: 'object',
  required: ['drift'],
  additionalProperties: false,
  properties: {
    drift: {
      type: 'object',
      required: LISTS,
      additionalProperties: false,
      properties: {
        added: entries('string', 'null'),
        removed: entries('null', 'string', ['string', 'null']),
        changed: entries('string', 'string'),
        missing_from_mcp: { type: 'array', items: { type: 'string' }, uniqueItems: true },
      },
    },
  },
} as const;

const NO_DRIFT = {
  properties: { drift: { properties: Object.fromEntries(LISTS.map((list) => [list, { maxItems: 0 }])) } },
} as const;

/**
 * What `mcp-validate --json` prints, as a JSON Schema (2020-12): the response envelope of REQ-O-035. `ok` is true if there
 * is no drift. With drift `error` is null, with an error `data` is.
 */
export const WIRE_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Answer of konnichiwagwan mcp-validate',
  type: 'object',
  required: ['ok', 'data', 'error', 'warnings', 'meta'],
  additionalProperties: false,
  properties: {
    ok: { type: 'boolean' },
    warnings: { type: 'array', items: { type: 'string' } },
    meta: {
      type: 'object',
      required: ['duration_ms'],
      properties: { duration_ms: { type: 'integer', minimum: 0 } },
    },
    data: {},
    error: {},
  },
  oneOf: [
    { properties: { ok: { const: true }, data: { allOf: [DATA, NO_DRIFT] }, error: { type: 'null' } } },
    { properties: { ok: { const: false }, data: { allOf: [DATA, { not: NO_DRIFT }] }, error: { type: 'null' } } },
    {
      properties: {
        ok: { const: false },
        data: { type: 'null' },
        error: {
          type: 'object',
          required: ['code', 'message', 'hint'],
          additionalProperties: false,
          properties: { code: { type: 'string' }, message: { type: 'string' }, hint: { type: 'string' } },
        },
      },
    },
  ],
} as const;
