import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { availableMemory } from '../../../origin/admission/available-memory.ts'
import { memoryLimits } from '../../../origin/admission/memory-limits.ts'
import {
  ARRIVING_BODIES_BYTES,
  ARRIVING_BODIES_SHARE_BYTES,
  CONNECTIONS_MAX,
  CORE_BODY_MAX_BYTES,
  UNAUTHENTICATED_BODIES_BYTES,
} from '../../../shared/limits.ts'

const MIB = 1024 ** 2
const GIB = 1024 ** 3

describe('the available memory', () => {
  let folder = ''
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'svc-cgroup-'))))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** Writes the files of a cgroup v2 hierarchy. `limits` are the contents of `memory.max` by path. */
  function memoryIn(
    ownPath: string,
    limits: Record<string, string>,
    { machineBytes = 64 * GIB, constrainedBytes = 0 } = {},
  ): number {
    for (const [path, limit] of Object.entries(limits)) {
      const file = join(folder, 'root', path, 'memory.max')
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `${limit}\n`)
    }
    const ownCgroup = join(folder, 'cgroup')
    writeFileSync(ownCgroup, `0::${ownPath}\n`)
    const cgroupRoot = join(folder, 'root')
    return availableMemory({ cgroupRoot, ownCgroup, machineBytes, constrainedBytes })
  }

  it('is the limit of the container', () => {
    expect(memoryIn('/', { '/': String(4 * GIB) })).toBe(4 * GIB)
  })

  it('is the smallest limit of the cgroup and the cgroups above', () => {
    const limits = { '/a/b/c': String(8 * GIB), '/a/b': 'max', '/a': String(4 * GIB) }
    expect(memoryIn('/a/b/c', limits)).toBe(4 * GIB)
    expect(memoryIn('/a/b/c', { ...limits, '/a/b/c': String(2 * GIB) })).toBe(2 * GIB)
  })

  it('is the memory of the machine if nothing limits it, or the limit is higher', () => {
    expect(memoryIn('/a', { '/a': 'max' })).toBe(64 * GIB)
    expect(memoryIn('/a', { '/a': String(128 * GIB) })).toBe(64 * GIB)
    expect(memoryIn('/a', {})).toBe(64 * GIB)
  })

  it('is the limit that Node reads, for cgroup v1', () => {
    expect(memoryIn('/', {}, { constrainedBytes: 3 * GIB })).toBe(3 * GIB)
    expect(memoryIn('/', {}, { constrainedBytes: 2 ** 63 })).toBe(64 * GIB)
  })

  it('is known on this machine', () => {
    expect(availableMemory()).toBeGreaterThan(100 * MIB)
    expect(availableMemory({ ownCgroup: join(folder, 'missing') })).toBeGreaterThan(100 * MIB)
  })
})

describe('the limits on memory', () => {
  /** Bytes in use if every limit is reached at once. An executor uses 128 MiB, a connection 114 KiB. */
  function mostBytes(memoryBytes: number): number {
    const { executors, connections, bodies, queuedBytes } = memoryLimits(memoryBytes)
    const { keylessBytes, accountsBytes } = bodies
    const bodyBytes = keylessBytes + 2 * accountsBytes
    return executors * 128 * MIB + connections * 114 * 1024 + bodyBytes + queuedBytes
  }

  it('memory exhaustion: leave a fifth of the memory, even if all are reached at once', () => {
    for (const gib of [1, 2, 3, 4, 6, 8, 12, 16, 32, 256])
      expect(mostBytes(gib * GIB) / (gib * GIB)).toBeLessThanOrEqual(0.8)
  })

  it('allow 16 executors in 4 GiB, and 64 in 16 GiB', () => {
    expect(memoryLimits(4 * GIB)).toEqual({
      executors: 16,
      connections: 2_299,
      bodies: { keylessBytes: 128 * MIB, accountsBytes: 256 * MIB, shareBytes: 64 * MIB },
      queuedBytes: 256 * MIB,
    })
    expect(memoryLimits(16 * GIB)).toEqual({
      executors: 64,
      connections: CONNECTIONS_MAX,
      bodies: {
        keylessBytes: UNAUTHENTICATED_BODIES_BYTES,
        accountsBytes: ARRIVING_BODIES_BYTES,
        shareBytes: ARRIVING_BODIES_SHARE_BYTES,
      },
      queuedBytes: 256 * MIB,
    })
    expect(memoryLimits(1024 * GIB)).toEqual(memoryLimits(16 * GIB))
  })

  it('allow at least one body of the largest size, however small the machine', () => {
    const { bodies, executors, queuedBytes } = memoryLimits(100 * MIB)
    expect(executors).toBe(1)
    expect(Math.min(queuedBytes, ...Object.values(bodies))).toBe(CORE_BODY_MAX_BYTES)
  })
})
