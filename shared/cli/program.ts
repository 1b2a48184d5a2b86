import { Command } from 'commander'
import type { Cli } from './cli.ts'
import { registerAccount } from './commands/account.ts'
import { registerChain } from './commands/chain.ts'
import { registerCid } from './commands/cid.ts'
import { registerCompletion } from './commands/completion.ts'
import { registerGroup } from './commands/group.ts'
import { registerKey } from './commands/key.ts'
import { registerLogin, registerLogout } from './commands/login.ts'
import { registerMcp } from './commands/mcp.ts'
import { registerReceipt } from './commands/receipt.ts'
import { registerRun } from './commands/run.ts'
import { registerTrigger } from './commands/trigger.ts'
import { registerUp } from './commands/up.ts'
import { registerVerify } from './commands/verify.ts'
import { registerWallet } from './commands/wallet.ts'
import { registerWhoami } from './commands/whoami.ts'
import { version } from './version.ts'

/** In help order, which follows a new user's first steps. */
const COMMANDS = [
  registerUp,
  registerAccount,
  registerWallet,
  registerCid,
  registerGroup,
  registerKey,
  registerRun,
  registerLogin,
  registerWhoami,
  registerTrigger,
  registerChain,
  registerMcp,
  registerLogout,
  registerVerify,
  registerReceipt,
  registerCompletion,
]

const EXIT_CODES = `
Exit codes:
  0  done
  1  done, and it failed: the action, or a rule of the evidence
  2  not called rightly, or the service refused a field
  3  the evidence is of a simulated machine
  4  no credential, or one that may not
  5  not there
  6  no credits
  7  no answer, or the service is away or busy: try again
  130  ended by Ctrl-C`

/**
 * Builds the command tree.
 * @param isJson suppresses commander's own error output, which the caller prints as JSON
 */
export function makeProgram(cli: Cli, isJson: boolean): Command {
  const { terminal } = cli
  const program = new Command('svc')
    .description(
      'Serverless functions that can hold private keys, and the triggers that fire them.',
    )
    .version(version, '-V, --version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.write(text),
      writeErr: (text) => terminal.complain(text),
      outputError: (text, write) => {
        if (!isJson) write(text)
      },
    })
    .addHelpText('after', EXIT_CODES)
  for (const register of COMMANDS) register(program, cli)
  return program
}
