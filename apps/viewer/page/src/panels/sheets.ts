import { byId } from "../dom";
import type { Records } from "../records";
import type { Session } from "../session";
import { ContactCountPanel } from "./contact_count";
import { ContactTable } from "./contact_table";
import { DelassusPanel } from "./delassus";
import { EnergyPanel } from "./energy";
import { ForcePanel } from "./force";
import { ForceDisplacementPanel } from "./force_displacement";
import type { Refreshing } from "./panel";
import { SolverPanel } from "./solver";
import { TimingPanel } from "./timing";

const period_ms = 66;

/** All panels on their sheets; those that can be seen are drawn fifteen times a second. */
export function makePanels(session: Session, records: Records) {
  const contactCount = new ContactCountPanel(byId("contact"), records, session, 104);
  const delassus = new DelassusPanel(byId("contact"), session);
  const panels: Refreshing[] = [
    new ForcePanel(byId("plots"), records, session, "force", 132),
    new ForcePanel(byId("plots"), records, session, "torque", 96),
    new ForceDisplacementPanel(byId("plots"), records, session, 136),
    new EnergyPanel(byId("plots"), records, session, 104),
    contactCount,
    delassus,
    new ContactTable(byId("contact"), session),
    new TimingPanel(byId("engine"), records, session, 210),
    new SolverPanel(byId("engine"), records, 150),
  ];
  let last = 0;
  return {
    refresh(now: number): void {
      if (now - last < period_ms) return;
      last = now;
      delassus.subscribe();
      for (const panel of panels) {
        panel.panel.node.hidden = panel.isWanted?.() === false;
        if (panel.panel.isVisible) panel.refresh();
      }
    },
    retint(): void {
      for (const panel of panels) {
        panel.panel.retint();
        panel.retint?.();
      }
    },
  };
}
