/** Runs one command line. */
import { Command, CommanderError } from 'commander'
import { registerReceipt } from './receipt-verify.ts'
import { EXIT, type Terminal, UsageError } from './terminal.ts'
import { registerVerify } from './verify/command.ts'

/** @returns the exit code; what a command says goes to the terminal */
export async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  let code: number = EXIT.ok
  const program = new Command('svc')
    .description(
      'Serverless functions that can hold private keys, and the triggers that fire them.',
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.write(text),
      writeErr: (text) => terminal.complain(text),
    })
  registerVerify(program, terminal, (exit) => (code = exit))
  registerReceipt(program, terminal, (exit) => (code = exit))
  try {
    await program.parseAsync([...words], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    if (error instanceof UsageError) {
      terminal.complain(`svc: ${error.message}\n`)
      return EXIT.usage
    }
    throw error
  }
}
