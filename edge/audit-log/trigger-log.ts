import {
  type AnyHashedEntry,
  clientAddressHash,
  detailsHash,
  entryHash,
} from '../../shared/audit-log/entry.ts'
import { userLogHash } from '../../shared/audit-log/log-of-user.ts'
import { encodeHex } from '../../shared/encoding/hex.ts'
import { TRIGGER_LOG_ENTRIES_MAX } from '../../shared/limits.ts'
import type { TriggerLogEntry, TriggerLogPage } from '../../shared/wire/trigger-log.ts'
import type { TriggerChangedReport } from './trigger-change.ts'

type TriggerLogParts = {
  sql: SqlStorage
  userId: () => string
  random: (bytes: number) => Uint8Array
}

type Head = { sequence: number; sha256: string; at: number }
/** Entries must match all given fields. */
type TriggerLogFilter = {
  trigger_id?: string | undefined
  operation?: string | undefined
  actor?: string | undefined
}
export type TriggerLogBounds = TriggerLogFilter & {
  order: 'newest' | 'oldest'
  offset: number
  limit: number
}

const FILTER_PATHS = {
  trigger_id: '$.subject.trigger_id',
  operation: '$.operation',
  actor: '$.actor.kind',
} as const

/** Changes of the triggers of a user, as a hash chain (docs/audit-log.md). Keeps only the latest entries. */
export class TriggerLog {
  readonly #parts: TriggerLogParts

  constructor(parts: TriggerLogParts) {
    this.#parts = parts
  }

  /** Must be called in the transaction that records the number of the report. */
  append(triggerId: string, report: TriggerChangedReport): void {
    const { sql, userId, random } = this.#parts
    const { operation, actor, actorName, clientAddress } = report
    const details = actorName ? { ...report.details, actor_name: actorName } : report.details
    const last = this.#last()
    const sequence = (last?.sequence ?? 0) + 1
    // Reports of different triggers can arrive out of order, but the times in a log never decrease.
    const at = Math.max(report.at, last?.at ?? 0)
    const salt = clientAddress === null ? null : encodeHex(random(16))
    const entry: AnyHashedEntry = {
      v: 1,
      account_hash: userLogHash(userId()),
      sequence,
      at: new Date(at).toISOString(),
      operation,
      outcome: 'done',
      actor,
      subject: { trigger_id: triggerId },
      request_id: null,
      client_address_sha256: salt === null ? null : clientAddressHash(salt, clientAddress!),
      details_sha256: detailsHash(details),
      previous_sha256: last?.sha256 ?? null,
    }
    sql.exec(
      `INSERT INTO trigger_log (sequence, at, entry, details, client_address, client_address_salt, sha256)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      sequence,
      at,
      JSON.stringify(entry),
      JSON.stringify(details),
      clientAddress,
      salt,
      entryHash(entry),
    )
    sql.exec('DELETE FROM trigger_log WHERE sequence <= ?', sequence - TRIGGER_LOG_ENTRIES_MAX)
  }

  page({ order, offset, limit, ...filter }: TriggerLogBounds): TriggerLogPage {
    const given = Object.entries(FILTER_PATHS).flatMap(([name, path]) => {
      const value = filter[name as keyof TriggerLogFilter]
      return value === undefined ? [] : [[path, value] as const]
    })
    const where = given.map(() => 'entry ->> ? = ?').join(' AND ')
    const last = this.#last()
    const rows = this.#parts.sql
      .exec<{
        entry: string
        details: string
        address: string | null
        salt: string | null
        sha256: string
      }>(
        `SELECT entry, details, client_address AS address, client_address_salt AS salt, sha256
         FROM trigger_log ${where && `WHERE ${where}`} ORDER BY sequence ${order === 'newest' ? 'DESC' : ''} LIMIT ? OFFSET ?`,
        ...given.flat(),
        limit,
        offset,
      )
      .toArray()
    const entries = rows.map(({ entry, details, address, salt, sha256 }): TriggerLogEntry => ({
      ...JSON.parse(entry),
      sha256,
      client_address: address,
      client_address_salt: salt,
      details: JSON.parse(details),
    }))
    return { entries, head: { sequence: last?.sequence ?? 0, sha256: last?.sha256 ?? null } }
  }

  #last(): Head | undefined {
    const [last] = this.#parts.sql
      .exec<Head>('SELECT sequence, sha256, at FROM trigger_log ORDER BY sequence DESC LIMIT 1')
      .toArray()
    return last
  }
}
