import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { getCollateral } from '@phala/dcap-qvl'
import { collateralSchema } from '../../../shared/attestation/evidence.ts'
import { DAY_MS, MINUTE_MS } from '../../../shared/durations.ts'
import { encodeHex } from '../../../shared/encoding/hex.ts'
import { rejectAfter } from '../../timeout.ts'
import { type Collateral, TeeUnavailableError } from '../provider.ts'

/**
 * Time before expiry at which collateral is renewed. Intel's collateral is valid for 30 days. Because of the early
 * renewal, a downloaded evidence bundle can still be verified for some days.
 */
const RENEW_BEFORE_MS = 7 * DAY_MS
/**
 * Age at which the collateral is renewed, because Intel may publish new information about a platform before the old
 * collateral expires.
 */
const RENEW_AFTER_MS = DAY_MS
/**
 * Minimum time between a failed fetch of the collateral and the next attempt. Without it, every request of a verifier
 * would cause a fetch while the collateral service is unavailable.
 */
const RETRY_MS = MINUTE_MS
const FETCH_TIMEOUT_MS = 30_000

export type FetchCollateral = (pccsUrl: string, quote: Buffer) => Promise<object>

type CollateralOptions = {
  /** Intel signs the collateral, so the choice of the service affects only availability. */
  pccsUrl: string
  /** Returns a quote of this platform. The report data does not matter. */
  quote: () => Promise<Uint8Array>
  now: () => number
  onFailure: (reason: string) => void
  fetchCollateral?: FetchCollateral
}

type CachedCollateral = { collateral: Collateral; fetchedAt: number; until: number }

/** During renewal, the old collateral is returned as long as it is valid. */
export class PlatformCollateral {
  readonly #options: CollateralOptions
  #cached: CachedCollateral | undefined
  #fetching: Promise<CachedCollateral> | undefined
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(options: CollateralOptions) {
    this.#options = options
  }

  /** Time of the last fetch, in Unix milliseconds. Undefined before the first fetch. */
  get fetchedAt(): number | undefined {
    return this.#cached?.fetchedAt
  }

  /** @throws {TeeUnavailableError} */
  async current(): Promise<Collateral> {
    const at = this.#options.now()
    const kept = this.#cached
    if (!kept || at >= kept.until) return (await this.#refresh()).collateral
    const isDue = at >= kept.fetchedAt + RENEW_AFTER_MS || at >= kept.until - RENEW_BEFORE_MS
    if (isDue) this.#refresh().catch(() => {})
    return kept.collateral
  }

  #refresh(): Promise<CachedCollateral> {
    if (this.#fetching) return this.#fetching
    const { now, onFailure } = this.#options
    if (now() < this.#failedAt + RETRY_MS)
      return Promise.reject(
        new TeeUnavailableError('the platform’s collateral could not be fetched'),
      )
    this.#fetching = this.#fetch()
      .then((kept) => (this.#cached = kept))
      .catch((error: unknown) => {
        this.#failedAt = now()
        onFailure(error instanceof Error ? error.message : 'unknown')
        throw new TeeUnavailableError('the platform’s collateral could not be fetched', {
          cause: error,
        })
      })
      .finally(() => {
        this.#fetching = undefined
      })
    return this.#fetching
  }

  async #fetch(): Promise<CachedCollateral> {
    const { pccsUrl, quote, now, fetchCollateral = getCollateral } = this.#options
    const given = await rejectAfter(
      FETCH_TIMEOUT_MS,
      fetchCollateral(pccsUrl, Buffer.from(await quote())),
      () => new Error(`no response within ${FETCH_TIMEOUT_MS} ms`),
    )
    const collateral = parseCollateral(given as Record<keyof Collateral, unknown>)
    const until = collateralExpiry(collateral)
    if (!(until > now())) throw new Error('the collateral has expired')
    return { collateral, fetchedAt: now(), until }
  }
}

/** Converts the library's result to the format of the collateral files, in which byte arrays are written as hex. */
function parseCollateral(given: Record<keyof Collateral, unknown>): Collateral {
  const text = (name: keyof Collateral): string => {
    const value = given[name]
    if (typeof value === 'string' && value !== '') return value
    if (Array.isArray(value) && value.length > 0) return encodeHex(Uint8Array.from(value))
    throw new Error(`the collateral has no ${name}`)
  }
  const names = collateralSchema.keyof().options
  return collateralSchema.parse(Object.fromEntries(names.map((name) => [name, text(name)])))
}

/** Returns the earliest expiry of the parts, in Unix milliseconds. */
function collateralExpiry({ tcb_info, qe_identity, pck_crl, root_ca_crl }: Collateral): number {
  const said = [tcb_info, qe_identity].map((text) => Date.parse(JSON.parse(text).nextUpdate))
  const lists = [pck_crl, root_ca_crl].map(
    (hex) => new x509.X509Crl(Buffer.from(hex, 'hex')).nextUpdate?.getTime() ?? Number.NaN,
  )
  const until = Math.min(...said, ...lists)
  if (Number.isNaN(until)) throw new Error('the collateral has no expiry date')
  return until
}
