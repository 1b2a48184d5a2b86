#!/usr/bin/env node
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { run } from './run.ts'
import { EXIT, UsageError } from './terminal.ts'

const interrupted = new AbortController()
process.on('SIGINT', () => interrupted.abort(new Error('interrupted')))

// The reader of the output may close the pipe early, as in `svc trigger list | head -1`.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })

let isRead = false

/** Reads standard input without blocking, so that Ctrl-C can interrupt the read. */
async function standardInput(): Promise<string> {
  // A second read of standard input would wait forever, because the stream has already ended.
  if (isRead) throw new UsageError('standard input is used twice, but it can be read only once')
  isRead = true
  const chunks: Buffer[] = []
  process.stdin.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(process.stdin, 'end', { signal: interrupted.signal })
  return Buffer.concat(chunks).toString('utf8')
}

async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const ended = once(lines, 'close').then(() => '')
  try {
    return await Promise.race([lines.question(question, { signal: interrupted.signal }), ended])
  } finally {
    lines.close()
  }
}

process.exitCode = await run(process.argv.slice(2), {
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  environment: process.env,
  folder: process.cwd(),
  isTerminal: process.stdout.isTTY,
  hasColors: process.stdout.isTTY && !process.env['NO_COLOR'],
  showsProgress: process.stderr.isTTY,
  isInteractive: process.stdin.isTTY,
  input: () => process.stdin,
  standardInput,
  ask,
  signal: interrupted.signal,
  now: () => new Date(),
  random: (length) => new Uint8Array(randomBytes(length)),
})
// After Ctrl-C, open connections could keep the process alive.
if (process.exitCode === EXIT.interrupted) process.exit()
