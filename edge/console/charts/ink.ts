import type { Colour } from './chart.ts'

/**
 * The page's colours as a canvas takes them: what a variable of the style sheet is in the scheme of this moment is known
 * to an element that has it.
 */
export function inkOf(element: HTMLElement): (colour: Colour | 'line') => string {
  return (colour) => {
    const probe = document.createElement('span')
    probe.style.color = `var(--${colour})`
    element.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
}
