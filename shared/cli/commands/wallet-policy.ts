import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import type { CheckOptions } from '../policy/check.ts'
import type { SimulateOptions } from '../policy/simulate.ts'
import { addExamples } from './examples.ts'

export function registerWalletPolicy(wallet: Command, cli: Cli): void {
  const policy = wallet
    .command('policy')
    .description('Check policies, which limit what a wallet may sign. Nothing is sent.')
  registerCheck(policy, cli)
  registerSimulate(policy, cli)
}

function registerCheck(policy: Command, cli: Cli): void {
  const command = policy
    .command('check')
    .description('Check a policy, and print its hash and its rules in words.')
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

function registerSimulate(policy: Command, cli: Cli): void {
  const command = policy
    .command('simulate')
    .description('Decide whether a policy allows a request, without the network.')
    .argument('<file>', 'policy document')
    .requiredOption('--request <file>', 'request for a signature as JSON; - for standard input')
    .option('--sums <file>', 'sums so far: the JSON output of an earlier simulation')
    .option('--wallet <address>', 'address of the wallet; default: from of the transaction')
    .option('--action <cid>', 'CID of the action that requests the signature')
    .option('--at <time>', 'time of the request in RFC 3339; default: now')
    .option('--json', 'print JSON')
    .action(async (file: string, options: SimulateOptions) => {
      const { simulatePolicy } = await import('../policy/simulate.ts')
      await simulatePolicy(cli, command, file, options)
    })
  addExamples(command, ['svc wallet policy simulate policy.json --request request.json'])
}
