import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { addExamples } from './examples.ts'

export function registerCid(program: Command, cli: Cli): void {
  const command = program
    .command('cid')
    .description('Compute the CID of an action, by which groups permit it. Nothing is sent.')
    .argument('<action>', 'source file; - for standard input')
    .option('--json', 'print JSON: cid, and cid_hash as used by groups')
    .action(async (file: string) => {
      const [source, { actionCid }, { cidHash }] = await Promise.all([
        cli.actionSource(file),
        import('../../cid/compute-cid.ts'),
        import('../../cid/cid-format.ts'),
      ])
      const cid = await actionCid(source)
      cli.print(command, { cid, cid_hash: cidHash(cid) }, () => [cid])
    })
  addExamples(command, ['svc cid action.js', 'svc cid action.js --json'])
}
