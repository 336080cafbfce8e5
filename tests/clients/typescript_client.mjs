// A client on the TypeScript SDK, driven by lines of JSON: {"method", "params"} in, {"result"} or {"error"} out.
//
// usage: typescript_client.mjs v1|v2|v2-modern URL

import { createInterface } from 'node:readline';

const [kind, url] = process.argv.slice(2);
const from = { v1: '@modelcontextprotocol/sdk/client', v2: '@modelcontextprotocol/client' };

async function connect() {
  if (kind === 'v1') {
    const { Client } = await import(`${from.v1}/index.js`);
    const { StreamableHTTPClientTransport } = await import(`${from.v1}/streamableHttp.js`);
    const client = new Client({ name: 'typescript-v1', version: '1' }, { capabilities: {} });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import(from.v2);
  const options = kind === 'v2-modern' ? { versionNegotiation: { mode: 'auto' } } : {};
  const client = new Client({ name: `typescript-${kind}`, version: '1' }, { capabilities: {}, ...options });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

const client = await connect();
for await (const line of createInterface({ input: process.stdin })) {
  const { method, params } = JSON.parse(line);
  try {
    const result = method === 'tools/list' ? await client.listTools() : await client.callTool(params);
    console.log(JSON.stringify({ result }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }
}
await client.close();
