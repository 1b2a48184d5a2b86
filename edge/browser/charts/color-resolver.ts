import type { ChartColor } from './chart.ts'

/** Resolves colour names for a canvas, by a temporary element: the CSS variables depend on the colour scheme. */
export function colorResolver(element: HTMLElement): (colorName: ChartColor | 'line') => string {
  return (colorName) => {
    const probe = document.createElement('span')
    probe.style.color = `var(--${colorName})`
    element.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
}
