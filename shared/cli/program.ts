/** Every command, as one tree. */
import { Command } from 'commander'
import type { Cli } from './cli.ts'
import { registerReceipt } from './commands/receipt.ts'
import { registerVerify } from './commands/verify.ts'

export function makeProgram(cli: Cli): Command {
  const { terminal } = cli
  const program = new Command('svc')
    .description(
      'Serverless functions that can hold private keys, and the triggers that fire them.',
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.write(text),
      writeErr: (text) => terminal.complain(text),
    })
  for (const register of [registerVerify, registerReceipt]) register(program, cli)
  return program
}
