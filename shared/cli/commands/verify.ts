import type { Command } from 'commander'
import { TCB_STATUSES } from '../../attestation/policy.ts'
import type { Cli } from '../cli.ts'
import { type GivenOptions, TIMEOUT_S } from '../verify/given-options.ts'
import { examples } from './examples.ts'

const ACCEPTABLE = TCB_STATUSES.filter((status) => status !== 'Revoked').join(', ')

const several = (value: string, before: string[] | undefined) => [
  ...(before ?? []),
  ...value.split(',').map((part) => part.trim()),
]

export function registerVerify(program: Command, { terminal, exit }: Cli): void {
  const command = program
    .command('verify')
    .description('Verify the evidence of a host: seven rules, what they leave open, and a verdict.')
    .argument('[url]', 'https:// address of an origin')
    .option('--offline <bundle>', 'judge a bundle that --save wrote; uses no network')
    .option('--save <file>', 'write all that was fetched, to be judged again later')
    .option('--rpc-url <url>', 'a node of the chain that the governance contract is on')
    .option('--dns-server <ip[:port]>', 'ask this name server for CAA records')
    .option('--ca <file>', 'PEM of an authority to trust beside the usual ones')
    .option('--collateral <file>', 'judge the quote by this collateral, not by the host’s')
    .option('--measurements <file>', 'JSON list of {mrtd, rtmr0, rtmr1, rtmr2}: accept these alone')
    .option('--app-id <hex>', 'accept this application alone')
    .option('--compose-hash <hex>', 'accept this compose hash; may be repeated', several)
    .option(
      '--tcb-status <status>',
      `accept this status of the platform; may be repeated (of ${ACCEPTABLE}; default UpToDate)`,
      several,
    )
    .option('--dstack-verifier-input <file>', 'write the request for dstack’s own verifier')
    .option('--timeout <seconds>', `how long the host may take (default ${TIMEOUT_S})`)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit code: 0 HARDWARE, 3 SIMULATED, 1 FAILED, 2 wrong usage.')
    .action(async (url: string | undefined, given: GivenOptions) => {
      const [{ verify }, { verifyOptions }] = await Promise.all([
        import('../verify/verify.ts'),
        import('../verify/options.ts'),
      ])
      exit(await verify(verifyOptions(url, given, terminal), terminal))
    })
  examples(command, [
    'svc verify https://localhost:8788 --save bundle.json',
    'svc verify --offline bundle.json --json',
  ])
}
