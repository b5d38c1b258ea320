-- Usage of MCP tools in ClickHouse, in the table that OpenTelemetry's exporter makes: otel_logs.
-- An event may arrive twice. Its id makes twice once.
CREATE VIEW IF NOT EXISTS mcp_calls AS
SELECT
  LogAttributes['konnichiwagwan.event.id'] AS id,
  min(Timestamp) AS at,
  any(LogAttributes['konnichiwagwan.machine']) AS machine,
  any(LogAttributes['konnichiwagwan.server']) AS server,
  any(LogAttributes['gen_ai.tool.name']) AS tool,
  any(LogAttributes['konnichiwagwan.verdict']) AS verdict,
  any(LogAttributes['konnichiwagwan.inner.tool']) AS inner_tool,
  -- A record that replaces another one is no further call.
  max(if(LogAttributes['konnichiwagwan.replaces'] = 'true', 0, toUInt64OrDefault(LogAttributes['konnichiwagwan.count'], toUInt64(1)))) AS calls
FROM otel_logs
WHERE id != ''
GROUP BY id;

-- Calls of each tool
SELECT server, tool, sum(calls) AS total, uniq(machine) AS machines, max(at) AS last
FROM mcp_calls
WHERE at >= now() - INTERVAL 30 DAY
GROUP BY server, tool
ORDER BY total DESC
LIMIT 200;

-- Calls per day, by verdict
SELECT toStartOfDay(at, 'UTC') AS time, verdict, sum(calls) AS total
FROM mcp_calls
WHERE at >= now() - INTERVAL 30 DAY
GROUP BY time, verdict
ORDER BY time;

-- Legacy tools against their raw twins
SELECT server, replaceRegexpOne(tool, '_raw$', '') AS legacy,
  sumIf(calls, NOT endsWith(tool, '_raw')) AS legacy_calls, sumIf(calls, endsWith(tool, '_raw')) AS twin_calls,
  maxIf(at, NOT endsWith(tool, '_raw')) AS legacy_last, uniqIf(machine, NOT endsWith(tool, '_raw')) AS legacy_machines
FROM mcp_calls
WHERE at >= now() - INTERVAL 30 DAY
GROUP BY server, legacy
HAVING twin_calls > 0
ORDER BY legacy_calls DESC
LIMIT 200;

-- Machines, the one that reported longest ago first
SELECT machine, max(at) AS last, sum(calls) AS total
FROM mcp_calls
GROUP BY machine
ORDER BY last
LIMIT 200;
