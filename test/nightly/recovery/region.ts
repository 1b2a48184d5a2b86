/** Follows "Loss of a region" in docs/backup.md: two regions with a machine each, one of which is destroyed. */
import { rmSync } from 'node:fs'
import { get } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { expectSoundBooks } from '../../origin/credits/sound-books.ts'
import { startEdgeOf } from '../../system/edge-of-origins.ts'
import { type OriginProcess, startOrigins } from '../../system/origins.ts'
import { newOwner } from '../../system/owner.ts'
import type { Figures } from '../figures.ts'
import { Load, secondsSince, startCounter } from './load.ts'

const LOAD_MS = 10_000
/** Time until the load balancer's health check removes the region. */
const DETECTED_AFTER_MS = 10_000
const READ_EVERY_MS = 100

export async function loseRegion(): Promise<Figures> {
  const counter = await startCounter()
  const world = await startOrigins(2, {
    settings: { SVC_OUTBOUND_ALLOW: counter.allow, SVC_EXECUTORS_MAX: '8' },
  })
  let edge: Awaited<ReturnType<typeof startEdgeOf>> | undefined
  try {
    edge = await startEdgeOf(world)
    const owner = await newOwner(edge)
    const load = await Load.start(owner, counter)
    const reads = new Reads(`${edge.baseUrl}/core/v1/version`)
    await sleep(LOAD_MS)

    // Connections are reused, so one region may have most of the runs.
    const startedBy = ({ name }: OriginProcess) =>
      world.lines.filter((line) => line.startsWith(`${name} |`) && line.includes('run.started'))
        .length
    const [remaining, lost] = world.origins.toSorted((a, b) => startedBy(a) - startedBy(b))
    expect(startedBy(lost!)).toBeGreaterThan(0)
    const lostAt = performance.now()
    await lost!.kill()
    rmSync(lost!.stateDir, { recursive: true })
    await sleep(DETECTED_AFTER_MS)
    edge.use([remaining!])
    await load.executes()
    await sleep(LOAD_MS)
    const failed = await reads.stop()

    const replacedAt = performance.now()
    const replacement = await world.add()
    await replacement.start()
    const seconds = secondsSince(replacedAt)
    edge.use([replacement])
    await load.executes()
    const { figures } = await load.end(/^origin_lost/)
    await Promise.all([remaining!.stop(), replacement.stop()])
    await expectSoundBooks(world.db, owner.accountHash)
    const last = Math.max(0, ...failed.map((at) => at - lostAt))
    expect(failed.filter((at) => at > lostAt + DETECTED_AFTER_MS + 5_000)).toEqual([])
    return {
      ...figures,
      reads: reads.count,
      'failed reads': failed.length,
      'max seconds with failed reads': Math.round(last / 100) / 10,
      'max seconds to add a machine': seconds,
    }
  } finally {
    await edge?.close()
    await world.close()
    await counter.close()
  }
}

/** A client of the core API that does not repeat failed calls. */
class Reads {
  readonly #failedAt: number[] = []
  readonly #enough = new AbortController()
  readonly #reading: Promise<void>
  count = 0

  constructor(url: string) {
    this.#reading = this.#read(url)
  }

  /** @returns times at which a read failed */
  async stop(): Promise<readonly number[]> {
    this.#enough.abort()
    await this.#reading
    return this.#failedAt
  }

  async #read(url: string): Promise<void> {
    while (!this.#enough.signal.aborted) {
      this.count++
      const isRead = await isAnswered(url)
      if (!isRead) this.#failedAt.push(performance.now())
      await sleep(READ_EVERY_MS)
    }
  }
}

/** Reads over a new connection, which the proxy passes to the next region. */
function isAnswered(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('error', () => resolve(false))
  })
}
