import { ESBUILD_VERSION } from '../../build/load-esbuild.ts'

/** Projects that `svc init` starts from, each with its description. Their files are in `examples/` (docs/examples.md). */
export const EXAMPLES = {
  webhook: 'verifies webhooks of GitHub, and signs statements about them',
  'stripe-to-usdc': 'pays a seller in USDC when a buyer has paid with Stripe',
  'price-feed': 'signs the median price of three exchanges, on a schedule',
  'weather-oracle': 'signs the rainfall of a day, with the key of the action itself',
  'treasury-payout': 'pays USDC once a month, within a policy',
  'safe-co-signer': 'signs transactions of a Safe as its second owner, if a rule allows them',
  'gasless-relayer': 'pays the gas for calls that users have signed, up to a daily limit',
  'token-gated-signer': 'signs passes for holders of a token',
  'event-relay': 'relays events of a contract to a server, with a signature',
  rebalancer: 'moves funds between a wallet and a vault, within a policy',
  alert: 'sends messages to Discord or Telegram about transfers',
  'agent-wallet': 'pays invoices for an AI agent, within a policy',
} as const

export type ExampleName = keyof typeof EXAMPLES

/** npm packages that the actions of an example import, with the versions of this repository. */
export const DEPENDENCIES: { readonly [Name in ExampleName]?: Readonly<Record<string, string>> } = {
  'stripe-to-usdc': { zod: '4.6.7' },
  'weather-oracle': { 'date-fns': '4.4.0', zod: '4.6.7' },
  'safe-co-signer': { viem: '2.57.20' },
  'gasless-relayer': { viem: '2.57.20', zod: '4.6.7' },
}

/** Versions of the tools in the `package.json` of a project: those with which the examples are tested. */
export const TOOL_VERSIONS = {
  esbuild: ESBUILD_VERSION,
  typescript: '7.0.2',
  vitest: '5.1.1',
} as const

/** In texts of examples, this name stands for the name of the project. */
export const NAME_IN_EXAMPLES = 'my-project'
