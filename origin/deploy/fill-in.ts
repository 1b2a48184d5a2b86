/** Fills in the placeholders of the compose file with the values of one deployment. */

/** The placeholder in the compose file. */
const GAP = 'fill-in.invalid'
const IMAGE = 'image'
/** Not a value of its own: derived from the host of `SVC_PUBLIC_URL`. */
const CERTIFIED = 'LEGO_DOMAINS'
const PUBLIC_URL = 'SVC_PUBLIC_URL'

/** The digest of empty input, used as the placeholder in the compose file. */
const NO_IMAGE = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const PINNED = /^[a-z0-9][a-z0-9._/:-]*@sha256:([0-9a-f]{64})$/
/** Characters that are plain text in YAML and do not start a compose variable. */
const PLAIN = /^[A-Za-z0-9_.,:;/@?&=%+~-]+$/

/** @throws {Error} naming each value that is missing, unknown or invalid */
export function filledIn(composeText: string, values: Record<string, unknown>): string {
  const faults: string[] = []
  const unused = new Set(Object.keys(values))
  const valueOf = (name: string): string => {
    unused.delete(name)
    const value = values[name]
    const text = typeof value === 'number' ? String(value) : value
    const fault = typeof text === 'string' ? faultIn(name, text) : 'missing'
    if (fault) faults.push(`${name}: ${fault}`)
    return typeof text === 'string' ? text : ''
  }
  const host = () => URL.parse(valueOf(PUBLIC_URL))?.hostname ?? ''
  const filled = composeText
    .split('\n')
    .map((line) => {
      if (!line.includes(GAP) || /^\s*#/.test(line)) return line
      const image = /^(\s*image: )/.exec(line)
      if (image) return `${image[1]}${valueOf(IMAGE)}`
      const [, start = '', name = ''] = /^(\s*- ([A-Z][A-Z0-9_]*)=)/.exec(line) ?? []
      return `${start}${name === CERTIFIED ? host() : valueOf(name)}`
    })
    .join('\n')
  for (const name of unused) faults.push(`${name}: not a value that the compose file asks for`)
  if (faults.length > 0) throw new Error(`not usable: ${[...new Set(faults)].join('; ')}`)
  return filled
}

function faultIn(name: string, value: string): string | undefined {
  if (value.includes('.invalid')) return 'still the example'
  if (name === IMAGE) {
    const digest = PINNED.exec(value)?.[1]
    if (digest === undefined) return 'expected name@sha256:<64 hex characters>'
    return digest === NO_IMAGE ? 'the digest of no bytes is no image' : undefined
  }
  if (!PLAIN.test(value)) return 'has a character that the compose file would read otherwise'
  if (name === PUBLIC_URL && URL.parse(value)?.origin !== value)
    return 'expected https://host, and no more'
  if (name === PUBLIC_URL && !value.startsWith('https:')) return 'expected https'
  return undefined
}
