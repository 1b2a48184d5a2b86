import { Console } from 'node:console'
import { type Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { McpServer } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { Terminal } from '../terminal.ts'
import { MCP_MESSAGE_MAX_BYTES } from '../../limits.ts'
import { LineLimiter } from './line-limiter.ts'

/**
 * Serves MCP over standard input and output until the input ends, which means that the client has exited. Calls in
 * flight are then cancelled.
 * @param make creates a server. May be called again for a probe of the protocol version
 */
export async function serve(
  make: () => McpServer,
  input: Readable,
  terminal: Terminal,
): Promise<void> {
  const writeError = (text: string) => terminal.writeError(`svc mcp: ${text}\n`)
  const consoleBefore = redirectConsole(terminal)
  const lines = new LineLimiter(() =>
    writeError(`dropped a message of more than ${MCP_MESSAGE_MAX_BYTES} bytes`),
  )
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      terminal.write(String(chunk))
      done()
    },
  })
  const transport = new StdioServerTransport(lines, output, {
    maxBufferSize: 2 * MCP_MESSAGE_MAX_BYTES,
  })
  // The error is not printed in full, because its message may contain text from others.
  const handle = serveStdio(make, {
    transport,
    onerror: ({ name }) => writeError(`${name}: invalid message`),
  })
  input.pipe(lines)
  try {
    await finished(input, { writable: false, signal: terminal.signal })
  } finally {
    await handle.close()
    globalThis.console = consoleBefore
  }
}

/** Redirects the console output of libraries, which would corrupt the protocol. @returns the original console */
function redirectConsole({ writeError }: Terminal): Console {
  const stderr = new Writable({
    write: (chunk, _encoding, done) => {
      writeError(String(chunk))
      done()
    },
  })
  const before = globalThis.console
  globalThis.console = new Console({ stdout: stderr, stderr })
  return before
}
