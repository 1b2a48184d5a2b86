/** Projects that `svc init` starts from, each with its description. Their files are in `examples/` (docs/projects.md). */
export const EXAMPLES = {
  webhook: 'verifies webhooks of GitHub, and signs statements about them',
  'price-feed': 'signs the median price of three exchanges, on a schedule',
  'treasury-payout': 'pays USDC once a month, within a policy',
  'token-gated-signer': 'signs passes for holders of a token',
  'event-relay': 'relays events of a contract to a server, with a signature',
  rebalancer: 'moves funds between a wallet and a vault, within a policy',
  alert: 'sends messages to Discord or Telegram about transfers',
  'agent-wallet': 'pays invoices for an AI agent, within a policy',
} as const

export type ExampleName = keyof typeof EXAMPLES

/** Versions of the tools in the `package.json` of a project: those with which the examples are tested. */
export const TOOL_VERSIONS = { esbuild: '0.28.2', typescript: '7.0.2', vitest: '5.1.1' } as const

/** In texts of examples, this name stands for the name of the project. */
export const NAME_IN_EXAMPLES = 'my-project'
