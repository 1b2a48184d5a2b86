#!/usr/bin/env node
/** `svc`: the command line. */
import { randomBytes } from 'node:crypto'
import { run } from './run.ts'

process.exitCode = await run(process.argv.slice(2), {
  write: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
  environment: process.env,
  folder: process.cwd(),
  isTerminal: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
  now: () => new Date(),
  random: (length) => new Uint8Array(randomBytes(length)),
})
