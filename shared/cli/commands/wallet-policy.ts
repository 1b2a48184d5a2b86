import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import type { CheckOptions } from '../policy/check.ts'
import type { SimulateOptions } from '../policy/simulate.ts'
import { addExamples } from './examples.ts'

const WALLET = 'address or ID of the wallet'

export function registerWalletPolicy(wallet: Command, cli: Cli): void {
  const policy = wallet
    .command('policy')
    .description('Manage policies, which limit what a wallet may sign.')
  registerCheck(policy, cli)
  registerShow(policy, cli)
  registerSet(policy, cli)
  registerSimulate(policy, cli)
}

function registerCheck(policy: Command, cli: Cli): void {
  const command = policy
    .command('check')
    .description('Check a policy, and print its hash and its rules in words. Nothing is sent.')
    .argument('<file>', 'policy document; - for standard input')
    .option('--replaces <file>', 'also tell if it would replace this policy at once')
    .option('--json', 'print JSON')
    .action(async (file: string, options: CheckOptions) => {
      const { checkPolicy } = await import('../policy/check.ts')
      await checkPolicy(cli, command, file, options)
    })
  addExamples(command, [
    'svc wallet policy check policy.json',
    'svc wallet policy check new.json --replaces policy.json',
  ])
}

function registerShow(policy: Command, cli: Cli): void {
  const command = cli
    .command(
      policy,
      'show',
      'Show a wallet’s policy, what remains of its sums, and a pending change.',
    )
    .argument('<wallet>', WALLET)
    .action(async (wallet: string) => {
      const { showPolicy } = await import('../policy/wallet-policy.ts')
      await showPolicy(cli, command, wallet)
    })
  addExamples(command, ['svc wallet policy show $WALLET'])
}

function registerSet(policy: Command, cli: Cli): void {
  const command = cli
    .command(policy, 'set', 'Change a wallet’s policy, and print what changes and when.')
    .argument('<wallet>', WALLET)
    .argument('<file>', 'policy document; - for standard input')
    .option('--yes', 'do not ask for confirmation before setting an immutable policy')
    .action(async (wallet: string, file: string, options: { yes?: boolean }) => {
      const { setPolicy } = await import('../policy/wallet-policy.ts')
      await setPolicy(cli, command, wallet, file, options)
    })
  addExamples(command, ['svc wallet policy set $WALLET policy.json'])
}

function registerSimulate(policy: Command, cli: Cli): void {
  const command = cli
    .command(
      policy,
      'simulate',
      'Decide whether a policy allows a request: a document, without the network, or the policy of --wallet.',
    )
    .argument('[file]', 'policy document')
    .requiredOption('--request <file>', 'request for a signature as JSON; - for standard input')
    .option('--wallet <address>', `${WALLET}; with a document, default: from of the transaction`)
    .option('--action <cid>', 'CID of the action that requests the signature')
    .option(
      '--sums <file>',
      'with a document, sums so far: the JSON output of an earlier simulation',
    )
    .option('--at <time>', 'with a document, time of the request in RFC 3339; default: now')
    .action(async (file: string | undefined, options: SimulateOptions) => {
      const { simulatePolicy } = await import('../policy/simulate.ts')
      await simulatePolicy(cli, command, file, options)
    })
  addExamples(command, [
    'svc wallet policy simulate policy.json --request request.json',
    'svc wallet policy simulate --wallet $WALLET --request request.json',
  ])
}
