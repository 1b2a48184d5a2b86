import { requireApiKeyFormat } from '../credential.ts'
import { NotSent } from '../failures/transport-errors.ts'

/** The client's account key, which a key rotation replaces. */
export class AccountKey {
  #key: string | undefined
  isRotating = false

  /** @throws {NotSent} `bad_credential` if the value is not an API key */
  constructor(key: string | undefined) {
    if (key !== undefined) requireApiKeyFormat(key)
    this.#key = key
  }

  get isSet(): boolean {
    return this.#key !== undefined
  }

  /** @throws {NotSent} `no_api_key` if the client has no key */
  credential(): { apiKey: string } {
    if (this.#key !== undefined) return { apiKey: this.#key }
    const fix = 'Pass apiKey to createClient, or open an account with newAccount.'
    throw new NotSent('no_api_key', 'the client has no API key', fix)
  }

  use(key: string): void {
    this.#key = key
  }
}
