import type { Command } from 'commander'
import { TCB_STATUSES } from '../../attestation/policy.ts'
import type { Cli } from '../cli.ts'
import { type RawVerifyOptions, TIMEOUT_S } from '../verify/raw-options.ts'
import type { VerifyWalletOptions } from '../wallet-proof/command.ts'
import { addExamples } from './examples.ts'

const ACCEPTABLE = TCB_STATUSES.filter((status) => status !== 'Revoked').join(', ')

const collectList = (value: string, before: string[] | undefined) => [
  ...(before ?? []),
  ...value.split(',').map((part) => part.trim()),
]

export function registerVerify(program: Command, cli: Cli): void {
  const { terminal, exit } = cli
  const command = program
    .command('verify')
    .enablePositionalOptions()
    .description(
      'Verify the attestation evidence of a host. Print the result of each of the seven rules, what could not be verified, and the verdict.',
    )
    .argument('[url]', 'https:// URL of an origin')
    .option('--offline <bundle>', 'verify a bundle written by --save, without using the network')
    .option('--save <file>', 'save everything that was fetched, for later verification')
    .option('--rpc-url <url>', 'RPC URL of a node on the chain that has the governance contract')
    .option('--dns-server <ip[:port]>', 'query this name server for CAA records')
    .option('--ca <file>', 'PEM file of an additional certificate authority to trust')
    .option('--collateral <file>', 'verify the quote with this collateral instead of the host’s')
    .option('--measurements <file>', 'JSON list of {mrtd, rtmr0, rtmr1, rtmr2}: accept only these')
    .option('--app-id <hex>', 'accept only this application')
    .option('--compose-hash <hex>', 'accept this compose hash; can be repeated', collectList)
    .option(
      '--tcb-status <status>',
      `accept this platform status; can be repeated (one of ${ACCEPTABLE}; default: UpToDate)`,
      collectList,
    )
    .option(
      '--dstack-verifier-input <file>',
      'write the request for dstack’s own verifier to this file',
    )
    .option('--timeout <seconds>', `time limit for fetching the evidence (default: ${TIMEOUT_S})`)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit codes: 0 HARDWARE, 3 SIMULATED, 1 FAILED, 2 invalid usage.')
    .action(async (url: string | undefined, given: RawVerifyOptions) => {
      const [{ verify }, { verifyOptions }] = await Promise.all([
        import('../verify/verify.ts'),
        import('../verify/options.ts'),
      ])
      exit(await verify(verifyOptions(url, given, terminal), terminal))
    })
  addExamples(command, [
    'svc verify https://localhost:8788 --save bundle.json',
    'svc verify --offline bundle.json --json',
  ])
  registerVerifyWallet(command, cli)
}

function registerVerifyWallet(verify: Command, cli: Cli): void {
  const command = cli
    .withUsageKey(
      cli.command(
        verify,
        'wallet',
        'Verify that the key of a wallet is under a policy, from the evidence of the origin, the contract and receipts.',
      ),
    )
    .argument('<address>', 'address of the wallet')
    .option('--rpc-url <url>', 'RPC URL of a node on the contract’s chain')
    .option('--receipts <file>', 'receipts, one per line; can be repeated', collectList)
    .option('--policy <file>', 'document of a former policy; can be repeated', collectList)
    .option('--save <file>', 'save everything that was collected, for later verification')
    .option('--bundle <file>', 'verify a bundle written by --save, without using the network')
    .option('--app-id <hex>', 'accept only this application')
    .option('--compose-hash <hex>', 'accept this compose hash; can be repeated', collectList)
    .addHelpText('after', '\nExit codes: 0 HARDWARE, 3 SIMULATED, 1 FAILED, 2 invalid usage.')
    .action(async (address: string, options: VerifyWalletOptions) => {
      const { verifyWallet } = await import('../wallet-proof/command.ts')
      await verifyWallet(cli, command, address, options)
    })
  addExamples(command, [
    'svc verify wallet $WALLET --save wallet.json',
    'svc verify wallet $WALLET --bundle wallet.json',
  ])
}
