import { Command } from 'commander'
import type { Cli } from './cli.ts'
import { registerAccount } from './commands/account.ts'
import { registerBuild } from './commands/build.ts'
import { registerChain } from './commands/chain.ts'
import { registerCid } from './commands/cid.ts'
import { registerCompletion } from './commands/completion.ts'
import { registerDeploy } from './commands/deploy.ts'
import { registerDev } from './commands/dev.ts'
import { registerGroup } from './commands/group.ts'
import { registerInit } from './commands/init.ts'
import { registerKey } from './commands/key.ts'
import { registerListen } from './commands/listen.ts'
import { registerLogin, registerLogout, registerWhoami } from './commands/login.ts'
import { registerLogs } from './commands/logs.ts'
import { registerMcp } from './commands/mcp.ts'
import { registerReceipt } from './commands/receipt.ts'
import { registerRun } from './commands/run.ts'
import { registerTest } from './commands/test.ts'
import { registerAction } from './commands/action.ts'
import { registerAlerts } from './commands/alerts.ts'
import { registerTrigger } from './commands/trigger.ts'
import { registerTx } from './commands/tx.ts'
import { registerUp } from './commands/up.ts'
import { registerVerify } from './commands/verify.ts'
import { registerWallet } from './commands/wallet.ts'
import { version } from './version.ts'

/** Commands in the order of the help text, which follows the first steps of a new user. */
const COMMANDS = [
  registerUp,
  registerAccount,
  registerWallet,
  registerTx,
  registerBuild,
  registerCid,
  registerGroup,
  registerKey,
  registerRun,
  registerTest,
  registerLogin,
  registerWhoami,
  registerAction,
  registerTrigger,
  registerLogs,
  registerAlerts,
  registerInit,
  registerDeploy,
  registerDev,
  registerListen,
  registerChain,
  registerMcp,
  registerLogout,
  registerVerify,
  registerReceipt,
  registerCompletion,
]

const EXIT_CODES = `
Exit codes:
  0  success
  1  the action, the run or a rule of the evidence failed
  2  invalid usage, or the service rejected the request
  3  the evidence is from a simulated machine
  4  missing or insufficient credentials
  5  not found
  6  no credits, or the spending cap is reached
  7  no response, or the service is unavailable or overloaded: retry
  130  interrupted by Ctrl-C`

/** @param isJson suppresses commander's own error output, because the caller prints errors as JSON */
export function makeProgram(cli: Cli, isJson: boolean): Command {
  const { terminal } = cli
  const program = new Command('svc')
    .description(
      'Serverless functions that can hold private keys, and the triggers that fire them.',
    )
    .version(version, '-V, --version')
    // Allows a command and its subcommand to have options with the same name.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.write(text),
      writeErr: (text) => terminal.writeError(text),
      outputError: (text, write) => {
        if (!isJson) write(text)
      },
    })
    .addHelpText('after', EXIT_CODES)
  for (const register of COMMANDS) register(program, cli)
  return program
}
