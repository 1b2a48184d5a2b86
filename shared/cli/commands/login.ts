/** The token is sent only to the trigger service. */
import { hostname } from 'node:os'
import type { Command } from 'commander'
import type { Scope } from '../../wire/agent.ts'
import type { Cli } from '../cli.ts'
import { storedEdgeEntry } from '../credentials/credentials.ts'
import { printable } from '../terminal.ts'
import { addExamples } from './examples.ts'
import { facts } from './columns.ts'

type Given = { label?: string; readOnly?: boolean }

export function registerLogin(program: Command, cli: Cli): void {
  const command = cli
    .command(
      program,
      'login',
      'Request a token for this machine, which a person approves in a browser.',
    )
    .option('--label <text>', 'name shown to the person (default: svc on <this host>)')
    .option('--read-only', 'request a token that can only read')
    .action((given: Given) => login(given, command, cli))
  addExamples(command, ['svc login --label "my laptop"'])
}

async function login(given: Given, command: Command, cli: Cli): Promise<void> {
  const { terminal, credentials } = cli
  const { triggersUrl, known, fetch } = await cli.deployment(command)
  const [{ createClient }, { newAgentToken }, { LABEL_MAX_CHARACTERS }] = await Promise.all([
    import('../../client/client.ts'),
    import('../../client/agent-token.ts'),
    import('../../wire/agent.ts'),
  ])
  const agent = newAgentToken(terminal.random)
  const { token, challenge } = agent
  const baseUrl = known.baseUrl ?? triggersUrl
  const { triggers } = createClient({ baseUrl, triggersUrl, token, fetch, signal: terminal.signal })
  const label = given.label ?? `svc on ${hostname()}`.slice(0, LABEL_MAX_CHARACTERS)
  const scopes: Scope[] | undefined = given.readOnly ? ['triggers:read'] : undefined
  const asked = await triggers.registerAgentRequest({ challenge, label, ...(scopes && { scopes }) })
  // The link and the code are printed even if standard error is not a terminal, because the user needs them to approve
  // the request. The link contains only the token's hash, not the token.
  const wanted = {
    Open: agent.authorizeUrl(triggersUrl),
    'Type the code': asked.user_code,
    'Comparison code': agent.comparisonCode,
  }
  for (const line of facts(wanted)) cli.warn(line)
  cli.progress(command, 'Waiting for approval. Press Ctrl-C to cancel.')
  const me = await triggers.waitUntilAuthorized()
  await credentials.change((kept) => {
    Object.assign(storedEdgeEntry(kept, triggersUrl), { token, email: me.email })
    kept.current = {
      ...(known.baseUrl !== undefined && { base_url: known.baseUrl }),
      triggers_url: triggersUrl,
    }
  })
  cli.print(command, me, () => [
    `Logged in to ${triggersUrl} as ${printable(me.email)}. The token expires at ${printable(me.token_expires_at)}.`,
    'If this is not your account, run svc logout and do not send it any usage key.',
  ])
}

export function registerLogout(program: Command, cli: Cli): void {
  const command = cli
    .command(program, 'logout', 'Delete the stored token, and print where to revoke it.')
    .action(async () => {
      const { triggersUrl } = await cli.deployment(command)
      const { token } = await cli.credentials.edge(triggersUrl)
      const revoke_url = `${triggersUrl}/agent/tokens`
      if (token !== undefined)
        await cli.credentials.change((kept) => void delete kept.edges[new URL(triggersUrl).origin])
      cli.print(command, { forgotten: token !== undefined, revoke_url }, () => [
        token === undefined
          ? `No token was stored for ${triggersUrl}.`
          : 'Token deleted from this machine.',
        `The token stays valid until you revoke it in a browser: ${revoke_url}`,
      ])
    })
  addExamples(command, ['svc logout'])
}

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
