import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import type { GivenOptions } from '../receipt/verify.ts'
import { examples } from './examples.ts'

export function registerReceipt(program: Command, { terminal, exit }: Cli): void {
  const verify = program
    .command('receipt')
    .description('Receipts of executions.')
    .command('verify')
    .description('Says whether receipts are real, and what they show. Uses no network.')
    .argument('<file>', 'one receipt, or a chain of them, one a line; - for standard input')
    .option('--evidence <bundle>', 'the key is that of evidence saved by svc verify --save')
    .option('--key <point>', 'the key: 65 bytes, in hex or base64url')
    .option('--json', 'as JSON')
    .action(async (file: string, given: GivenOptions) => {
      const { receiptVerify } = await import('../receipt/verify.ts')
      exit(await receiptVerify(file, given, terminal))
    })
  examples(verify, ['svc receipt verify receipt.txt --evidence bundle.json'])
}
