/** What this machine stores about the secrets of projects: usage keys, and which triggers have which keys and webhook secrets. */
import { apiKeyHash } from '../../crypto/keccak.ts'
import { encodeHex } from '../../encoding/hex.ts'
import { groupBy } from '../../group-by.ts'
import type { Cli } from '../cli.ts'
import { storedEdgeEntry, storedOriginEntry } from '../credentials/credentials.ts'
import type { StoredEdge } from '../credentials/stored-credentials.ts'
import type { ResolvedDeployment } from '../deployment.ts'
import { UsageError } from '../terminal.ts'
import type { DeployedState } from './deployed-state.ts'

export type KeyStore = {
  /**
   * Returns the idempotency key of an attempt to create a usage key, which is stored before the attempt.
   * @param options.isNew true to start another attempt instead of repeating the last one
   */
  attempt(this: void, name: string, options: { isNew: boolean }): Promise<string>
  /** Stores a key that was created, and forgets the attempts. */
  keep(this: void, key: { name: string; hash: string; key: string }): Promise<void>
  /** Returns the usage key with a hash. The plan requires that it is stored. */
  secret(this: void, hash: string): Promise<string>
  forget(this: void, hash: string): Promise<void>
  recordTrigger(this: void, id: string, hash: string): Promise<void>
  recordSecret(this: void, id: string, digest: string): Promise<void>
  forgetTrigger(this: void, id: string): Promise<void>
}

type Deployment = Pick<ResolvedDeployment, 'baseUrl' | 'known'>

export async function readKeyState(
  cli: Cli,
  { baseUrl, known: { triggersUrl } }: Deployment,
): Promise<Pick<DeployedState, 'heldKeys' | 'keyAttempts' | 'triggerKeys' | 'triggerSecrets'>> {
  const { usage_keys = [], key_attempts = [] } = await cli.credentials.origin(baseUrl)
  const { trigger_keys = {}, trigger_secrets = {} } =
    triggersUrl === undefined ? {} : await cli.credentials.edge(triggersUrl)
  const given = await givenKey(cli)
  const attempts = groupBy(key_attempts, ({ name }) => name)
  return {
    heldKeys: new Set([
      ...usage_keys.map(({ hash }) => hash),
      ...(given === undefined ? [] : [apiKeyHash(given)]),
    ]),
    keyAttempts: new Map(
      [...attempts].map(([name, of]) => [name, of.map(({ idempotency_key }) => idempotency_key)]),
    ),
    triggerKeys: new Map(Object.entries(trigger_keys)),
    triggerSecrets: new Map(Object.entries(trigger_secrets)),
  }
}

export function createKeyStore(cli: Cli, { baseUrl, known }: Deployment): KeyStore {
  const { change, origin } = cli.credentials
  const changeTriggers = (changed: (entry: StoredEdge) => void) =>
    change((kept) => changed(storedEdgeEntry(kept, known.triggersUrl!)))
  return {
    attempt: async (name, { isNew }) => {
      const { key_attempts = [] } = await origin(baseUrl)
      const last = key_attempts.findLast((attempt) => attempt.name === name)
      if (last && !isNew) return last.idempotency_key
      const idempotency_key = encodeHex(cli.terminal.random(16))
      await change(
        (kept) =>
          void (storedOriginEntry(kept, baseUrl).key_attempts ??= []).push({
            name,
            idempotency_key,
          }),
      )
      return idempotency_key
    },
    keep: (key) =>
      change((kept) => {
        const entry = storedOriginEntry(kept, baseUrl)
        entry.usage_keys = [...(entry.usage_keys ?? []), key]
        entry.key_attempts = (entry.key_attempts ?? []).filter(({ name }) => name !== key.name)
      }),
    secret: async (hash) => {
      const { usage_keys = [] } = await origin(baseUrl)
      const stored = usage_keys.find((key) => key.hash === hash)
      if (stored) return stored.key
      const given = await givenKey(cli)
      if (given !== undefined && apiKeyHash(given) === hash) return given
      throw new UsageError(
        `the usage key ${hash} was removed from this machine in the meantime: run svc deploy again`,
      )
    },
    forget: (hash) =>
      change((kept) => {
        const entry = storedOriginEntry(kept, baseUrl)
        entry.usage_keys = (entry.usage_keys ?? []).filter((key) => key.hash !== hash)
      }),
    recordTrigger: (id, hash) =>
      changeTriggers((entry) => void ((entry.trigger_keys ??= {})[id] = hash)),
    recordSecret: (id, digest) =>
      changeTriggers((entry) => void ((entry.trigger_secrets ??= {})[id] = digest)),
    forgetTrigger: (id) =>
      changeTriggers(({ trigger_keys, trigger_secrets }) => {
        delete trigger_keys?.[id]
        delete trigger_secrets?.[id]
      }),
  }
}

const givenKey = (cli: Cli) => cli.secret({ variable: 'SVC_USAGE_KEY' })
