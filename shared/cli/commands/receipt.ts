import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import type { ReceiptVerifyOptions } from '../receipt/verify.ts'
import { addExamples } from './examples.ts'

export function registerReceipt(program: Command, { terminal, exit }: Cli): void {
  const verify = program
    .command('receipt')
    .description('Verify receipts of executions.')
    .command('verify')
    .description('Verify receipts and print their contents, without using the network.')
    .argument('<file>', 'a receipt, or a chain of receipts, one per line; - for standard input')
    .option('--evidence <bundle>', 'use the key from evidence saved by svc verify --save')
    .option('--key <point>', 'use this public key: 65 bytes, in hex or base64url')
    .option('--json', 'print JSON')
    .action(async (file: string, given: ReceiptVerifyOptions) => {
      const { verifyReceiptFile } = await import('../receipt/verify.ts')
      exit(await verifyReceiptFile(file, given, terminal))
    })
  addExamples(verify, ['svc receipt verify receipt.txt --evidence bundle.json'])
}
