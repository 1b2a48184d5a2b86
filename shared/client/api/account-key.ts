import { requireApiKeyShape } from '../credential.ts'
import { NotSent } from '../failures/on-the-way.ts'

/** The key that a client of API mode has at present: another one after a rotation. */
export class AccountKey {
  #key: string | undefined
  /** Another key is on its way. */
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
