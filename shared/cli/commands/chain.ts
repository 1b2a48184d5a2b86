import type { Command } from 'commander'
import type { Chain } from '../../client/triggers/records.ts'
import type { Cli } from '../cli.ts'
import { addExamples } from './examples.ts'
import { columns } from './columns.ts'

export function registerChain(program: Command, cli: Cli): void {
  const command = program
    .command('chain')
    .description('Show the chains whose events can fire triggers.')
    .command('list')
    .description('List the chains that this deployment watches, and their progress.')
  cli.withDeploymentOptions(command)
  addExamples(command, ['svc chain list'])
  command.action(async () => {
    const { triggers } = await cli.client(command, { token: true })
    const chains = await triggers.chains()
    cli.print(command, chains, () => (chains.length === 0 ? ['no chains'] : chainLines(chains)))
  })
}

function chainLines(chains: readonly Chain[]): string[] {
  const head = ['CHAIN', 'ID', 'HEAD', 'BEHIND', 'FINAL AFTER', 'NODES']
  return columns([
    head,
    ...chains.map(({ chain, chain_id, head: block, lag_blocks, finality, rpc }) => [
      chain,
      String(chain_id),
      block === null ? '-' : String(block),
      lag_blocks === null ? '-' : `${lag_blocks} blocks`,
      `${finality} blocks`,
      `${rpc.filter(({ state }) => state === 'healthy').length} of ${rpc.length} healthy`,
    ]),
  ])
}
