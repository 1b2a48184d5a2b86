import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { examples } from './examples.ts'

export function registerCid(program: Command, cli: Cli): void {
  const command = program
    .command('cid')
    .description('The CID of an action: what groups permit. Computed here; nothing is sent.')
    .argument('<action>', 'the source; - for standard input')
    .option('--json', 'print JSON: cid, and cid_hash as groups have it')
    .action(async (file: string) => {
      const [source, { actionCid }, { cidHash }] = await Promise.all([
        cli.text(file),
        import('../../cid.ts'),
        import('../../action-cid.ts'),
      ])
      const cid = await actionCid(source)
      cli.say(command, { cid, cid_hash: cidHash(cid) }, () => [cid])
    })
  examples(command, ['svc cid action.js', 'svc cid action.js --json'])
}
