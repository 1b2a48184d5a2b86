import { requireApiKeyShape } from '../credential.ts'
import { NotSent } from '../failures/on-the-way.ts'

/** The current key of an API mode client. A rotation replaces it. */
export class AccountKey {
  #key: string | undefined
  /** A rotation is in flight. */
  isRotating = false

  /** @throws {NotSent} `bad_credential` */
  constructor(key: string | undefined) {
    if (key !== undefined) requireApiKeyShape(key)
    this.#key = key
  }

  get isSet(): boolean {
    return this.#key !== undefined
  }

  /** @throws {NotSent} `no_api_key` */
  credential(): { apiKey: string } {
    if (this.#key !== undefined) return { apiKey: this.#key }
    const fix = 'Give createClient an apiKey, or open an account with newAccount.'
    throw new NotSent('no_api_key', 'the client has no API key', fix)
  }

  use(key: string): void {
    this.#key = key
  }
}
