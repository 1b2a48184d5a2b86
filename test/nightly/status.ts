/** Formats the status of the nightly run as Markdown, for a terminal and for `docs/reliability.md`. */
import type { Campaign } from './campaigns.ts'
import { added } from './figures.ts'
import { isWithin, leftOf, nameOf, type Piece, replaysOf, union } from './pieces.ts'
import type { Finished } from './progress.ts'

const HEAD = ['Campaign', 'Played', 'Failed', 'Figures', 'Time', 'Commit', 'Date']

export function table(campaigns: readonly Campaign[], finished: readonly Finished[]): string {
  const rows = campaigns.map((campaign) => {
    const own = finished.filter((piece) => piece.campaign === campaign.name)
    const dates = own.map(({ date }) => date.slice(0, 10)).toSorted()
    return [
      campaign.name,
      `${amount(played(own))} of ${amount(campaign.planned)} ${campaign.unit}`,
      failedOf(own).map(failureName).join(', ') || (own.length > 0 ? 'none' : ''),
      figuresText(own),
      duration(sum(own.map(({ seconds }) => seconds))),
      [...new Set(own.map(({ commit }) => commit))].join(', '),
      [...new Set([dates[0], dates.at(-1)])].filter(Boolean).join(' to '),
    ]
  })
  const lines = [HEAD, HEAD.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The table, failed pieces with the commands that replay them, and an estimate of the remaining time. */
export function status(campaigns: readonly Campaign[], finished: readonly Finished[]): string {
  const failed = failedOf(finished).filter((piece) =>
    campaigns.some(({ name }) => name === piece.campaign),
  )
  return [
    table(campaigns, finished),
    ...failed.map(failureText),
    leftText(campaigns, finished),
  ].join('\n\n')
}

/** Number of units in pieces that ran to their end, with or without failures. */
function played(own: readonly Finished[]): number {
  return sum(union(own.filter(({ figures }) => figures !== undefined)).map(({ count }) => count))
}

/** Failed pieces that have not passed since. */
export function failedOf(finished: readonly Finished[]): Finished[] {
  return finished.filter(
    (piece) => !piece.passed && !isWithin(piece, passedOf(finished, piece.campaign)),
  )
}

const passedOf = (finished: readonly Finished[], name: string): Piece[] =>
  finished.filter(({ campaign, passed }) => passed && campaign === name)

function failureName({ first, count, failedSeeds }: Finished): string {
  if (failedSeeds && failedSeeds.length > 0) return failedSeeds.join(', ')
  return count > 1 ? `${first}–${first + count - 1}` : String(first)
}

function failureText(piece: Finished): string {
  const failures = (piece.failures ?? []).map((failure) => failure.split('\n')[0])
  const lines = [...failures, ...replaysOf(piece)].map((line) => `    ${line}`)
  return [`Failed: ${nameOf(piece)} (${piece.commit})`, ...lines].join('\n')
}

function figuresText(own: readonly Finished[]): string {
  return Object.entries(added(own.map(({ figures = {} }) => figures)))
    .map(([name, value]) => `${amount(value)} ${name}`)
    .join(', ')
}

function leftText(campaigns: readonly Campaign[], finished: readonly Finished[]): string {
  const left = campaigns.flatMap((campaign) => {
    const pieces = leftOf(campaign, passedOf(finished, campaign.name))
    if (pieces.length === 0) return []
    const own = finished.filter(({ campaign: name }) => name === campaign.name)
    const perUnit = sum(own.map(({ seconds }) => seconds)) / sum(own.map(({ count }) => count))
    const time = own.length > 0 ? duration(perUnit * sum(pieces.map(({ count }) => count))) : '?'
    return [`${campaign.name} ${pieces.length} (${time})`]
  })
  return left.length > 0 ? `Pieces left: ${left.join(', ')}` : 'Every piece has passed.'
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

const amount = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 })

/** Formats as `2 h 5 min`, `12 min` or `40 s`; 0 as an empty string. */
export function duration(seconds: number): string {
  if (seconds === 0) return ''
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
