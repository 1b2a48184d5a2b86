/** What is being written: kept by the tab, so that a reload loses nothing. Source and params are no secrets of the console's. */

export type Draft = { source: string; params: string }

const KEPT = 'svc/action-draft'

/** @returns undefined where nothing is kept, or the browser keeps nothing */
export function keptDraft(): Draft | undefined {
  try {
    const { source, params } = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null') as Draft
    return typeof source === 'string' && typeof params === 'string' ? { source, params } : undefined
  } catch {
    return undefined
  }
}

/** A source may be larger than what a browser keeps: then the tab has it alone. */
export function keepDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(draft))
  } catch {
    sessionStorage.removeItem(KEPT)
  }
}
