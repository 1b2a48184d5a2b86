import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { addExamples } from './examples.ts'
import { facts } from './columns.ts'

export function registerWhoami(program: Command, cli: Cli): void {
  const command = cli
    .command(program, 'whoami', 'Show the account and permissions of the current token.')
    .action(async () => {
      const { triggers } = await cli.client(command, { token: true })
      const me = await triggers.me()
      cli.print(command, me, () =>
        facts({
          email: me.email,
          label: me.label ?? undefined,
          scopes: me.scopes.join(' '),
          until: me.token_expires_at,
        }),
      )
    })
  addExamples(command, ['svc whoami', 'svc whoami --json'])
}
