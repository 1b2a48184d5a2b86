/**
 * Keeps the draft in `sessionStorage`, so that a reload loses nothing. The console does not treat source and params as
 * secrets.
 */

export type Draft = { source: string; params: string }

const KEPT = 'svc/action-draft'

/** @returns undefined if no draft is stored, or storage is unavailable */
export function keptDraft(): Draft | undefined {
  try {
    const { source, params } = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null') as Draft
    return typeof source === 'string' && typeof params === 'string' ? { source, params } : undefined
  } catch {
    return undefined
  }
}

/** Stores the draft. If it exceeds the storage quota, it exists only in the page. */
export function keepDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(draft))
  } catch {
    sessionStorage.removeItem(KEPT)
  }
}
