/**
 * Current IANA names of time zones that ICU returns under an older name
 * (https://data.iana.org/time-zones/data/backward).
 */
const CURRENT_NAMES: Record<string, string> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}

/**
 * The only IANA names of three letters. ICU knows further abbreviations, but some are ambiguous: `BST` is not British
 * Summer Time but the time of Dhaka.
 */
const ABBREVIATIONS = new Set('CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET'.split(' '))

/** Above the length of every IANA name. */
const NAME_MAX_CHARACTERS = 64

/**
 * Returns the current name of an IANA time zone: `Asia/Kolkata` for `asia/calcutta`, and `UTC` for `Etc/UTC`.
 * @returns undefined if there is no such time zone; offsets such as `+02:00` are not time zones
 */
export function canonicalZone(name: string): string | undefined {
  if (name.length > NAME_MAX_CHARACTERS || !/^[A-Za-z]/.test(name)) return undefined
  if (name.length === 3 && !ABBREVIATIONS.has(name.toUpperCase())) return undefined
  try {
    const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions()
    return CURRENT_NAMES[timeZone] ?? timeZone
  } catch {
    return undefined
  }
}

/** Names with more different characters are not similar. */
const DISTANCE_MAX = 3

/** Returns the time zone whose name or city is most similar to the text, or undefined if none is similar. */
export function similarZone(text: string): string | undefined {
  if (text.length > NAME_MAX_CHARACTERS) return undefined
  const wanted = simplify(text)
  let best: { zone: string; distance: number } | undefined
  for (const icuName of Intl.supportedValuesOf('timeZone')) {
    const zone = CURRENT_NAMES[icuName] ?? icuName
    const city = zone.slice(zone.lastIndexOf('/') + 1)
    const least = Math.min(
      distance(wanted, simplify(zone)),
      distance(wanted.slice(wanted.lastIndexOf('/') + 1), simplify(city)),
    )
    if (least < (best?.distance ?? DISTANCE_MAX + 1)) best = { zone, distance: least }
  }
  // For a short text, such as an abbreviation, any name of a few letters would be similar.
  return best && best.distance * 3 <= wanted.length ? best.zone : undefined
}

const simplify = (name: string) => name.toLowerCase().replaceAll(/[\s-]/g, '_')

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++)
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (letter === b[j] ? 0 : 1)))
    row = next
  }
  return row.at(-1)!
}
