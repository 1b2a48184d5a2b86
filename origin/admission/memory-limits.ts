import {
  ARRIVING_BODIES_BYTES,
  ARRIVING_BODIES_SHARE_BYTES,
  CONNECTIONS_MAX,
  CORE_BODY_MAX_BYTES,
  UNAUTHENTICATED_BODIES_BYTES,
} from '../../shared/limits.ts'

/** Limits on what a process holds in memory at the same time. */
export type MemoryLimits = {
  executors: number
  connections: number
  bodies: BodyLimits
  /** Sources and params of runs that wait for an executor. */
  queuedBytes: number
}

/** Bodies over 64 KiB that are still arriving. */
export type BodyLimits = {
  /** Of all senders without a verified key. */
  keylessBytes: number
  /** Of all accounts. The edge has a budget of the same size. */
  accountsBytes: number
  /** Of one account, or one client network without a key. */
  shareBytes: number
}

/**
 * Memory of an executor whose action uses all of its 64 MiB. An executor that has grown beyond this is replaced after
 * its run (`RSS_MAX_BYTES`).
 */
const EXECUTOR_BYTES = 128 * 1024 * 1024

/** Memory of a connection with a small body. */
const CONNECTION_BYTES = 114 * 1024

/** Reached with 16 GiB of memory. */
const EXECUTORS_MAX = 64

/** Reached with 4 GiB of memory. */
const QUEUED_BYTES_MAX = 256 * 1024 * 1024

/**
 * Divides the memory among everything whose size callers determine: half of it for executors, 9/32 for bodies, queued
 * runs and connections, and the rest for the process and its mirror of the accounts. Even if all of these limits are
 * reached at once, the process is not killed for exceeding its memory.
 */
export function memoryLimits(memoryBytes: number): MemoryLimits {
  const part = (share: number, max: number, min = CORE_BODY_MAX_BYTES) =>
    Math.max(min, Math.min(max, Math.floor(memoryBytes * share)))
  const count = (share: number, bytesOfOne: number, max: number) =>
    Math.max(1, Math.min(max, Math.floor((memoryBytes * share) / bytesOfOne)))
  const accountsBytes = part(1 / 16, ARRIVING_BODIES_BYTES)
  return {
    executors: count(1 / 2, EXECUTOR_BYTES, EXECUTORS_MAX),
    connections: count(1 / 16, CONNECTION_BYTES, CONNECTIONS_MAX),
    bodies: {
      keylessBytes: part(1 / 32, UNAUTHENTICATED_BODIES_BYTES),
      accountsBytes,
      shareBytes: part(1 / 64, ARRIVING_BODIES_SHARE_BYTES),
    },
    queuedBytes: part(1 / 16, QUEUED_BYTES_MAX),
  }
}
