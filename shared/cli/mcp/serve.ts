/** MCP over standard input and output: a message a line. */
import { Console } from 'node:console'
import { type Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { McpServer } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { Terminal } from '../terminal.ts'
import { LINE_MAX_BYTES, WholeLines } from './whole-lines.ts'

/**
 * Serves until the input ends: who started the server is gone then. What is under way ends with it.
 * @param make a server for the connection; a probe of the protocol's version may take one of its own
 */
export async function serve(
  make: () => McpServer,
  input: Readable,
  terminal: Terminal,
): Promise<void> {
  const complain = (text: string) => terminal.complain(`svc mcp: ${text}\n`)
  const consoleBefore = keepOutputForMessages(terminal)
  const lines = new WholeLines(() =>
    complain(`a message of more than ${LINE_MAX_BYTES} bytes was dropped`),
  )
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      terminal.write(String(chunk))
      done()
    },
  })
  const transport = new StdioServerTransport(lines, output, { maxBufferSize: 2 * LINE_MAX_BYTES })
  // Never with what was said: it may be what somebody else wrote.
  const handle = serveStdio(make, {
    transport,
    onerror: ({ name }) => complain(`${name}: a message was not understood`),
  })
  input.pipe(lines)
  try {
    await finished(input, { writable: false, signal: terminal.signal })
  } finally {
    await handle.close()
    globalThis.console = consoleBefore
  }
}

/** A library that writes to the console would write into the protocol. @returns the console as it was */
function keepOutputForMessages({ complain }: Terminal): Console {
  const stderr = new Writable({
    write: (chunk, _encoding, done) => {
      complain(String(chunk))
      done()
    },
  })
  const before = globalThis.console
  globalThis.console = new Console({ stdout: stderr, stderr })
  return before
}
