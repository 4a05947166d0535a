"""Other repositories in other languages and habits, labelled before anything was looked for in them."""

from evals.uses.labels import Labelled

CREW_CORE = {
    "Crew/RosterService.cs": """\
namespace Crew;

public class RosterService
{
    private readonly ILog _log;

    public Roster AssignCrew(int sailing, int member)
    {
        _log.Info("AssignCrew begins");
        return Save(sailing, member);
    }

    public void Swap(int sailing, int one, int other)
    {
        AssignCrew(sailing, one);
        this.AssignCrew(sailing, other);
        AssignCrewLater(sailing);
    }

    // AssignCrew must not be called at night
    private void AssignCrewLater(int sailing) { }
}
""",
    "Crew/RosterController.cs": """\
namespace Crew;

[ApiController]
[Route("api/sailings")]
public class RosterController : ControllerBase
{
    private readonly RosterService _service;

    [HttpPost("{sailing}/crew")]
    public IActionResult Assign(int sailing, int member)
    {
        return Ok(_service.AssignCrew(sailing, member));
    }

    [HttpGet("{sailing}/crew")]
    public IActionResult Read(int sailing)
    {
        return Ok(_service.Find(sailing));
    }

    [HttpPost("{sailing}/cargo")]
    public IActionResult Load(int sailing)
    {
        return Ok();
    }
}
""",
    "Crew/ShipService.cs": """\
namespace Crew;

public class ShipService
{
    private readonly string _limit = Environment.GetEnvironmentVariable("CREW_REST_HOURS");
    private readonly string _least = Environment.GetEnvironmentVariable("CREW_REST_HOURS_MIN");

    public int AssignCrew(Ship ship)
    {
        return ship.Berths;
    }

    public int Count(Ship ship)
    {
        return this.AssignCrew(ship);
    }
}
""",
    "Crew.Tests/RosterTests.cs": """\
public class RosterTests
{
    public void Assigns()
    {
        RosterService service = new RosterService();
        service.AssignCrew(1, 2);
        ShipService ships = new ShipService();
        ships.AssignCrew(null);
    }
}
""",
    "appsettings.json": """\
{
  "Crew": {
    "Rest": {
      "Hours": 11,
      "Minutes": 30
    }
  }
}
""",
    "sql/crew.sql": """\
CREATE TABLE crew_members (
  id SERIAL PRIMARY KEY,
  rest_until TIMESTAMPTZ,
  ship_id INT
);

CREATE TABLE ships (
  id SERIAL PRIMARY KEY,
  rest_until TIMESTAMPTZ
);

ALTER TABLE crew_members ADD COLUMN night_only BOOLEAN;

SELECT s.rest_until
FROM ships s
JOIN crew_members c ON c.ship_id = s.id
WHERE c.rest_until > now();

DELETE FROM ships WHERE rest_until < now();
DELETE FROM crew_members WHERE rest_until < now();
""",
}

CREW_WEB = {
    "app/models/crew_member.rb": """\
class CrewMember < ApplicationRecord
  self.table_name = "crew_members"

  def resting?
    rest_until.present? && rest_until > Time.now
  end

  def wake
    update(rest_until: nil)
  end
end
""",
    "app/controllers/crew_controller.rb": """\
class CrewController < ApplicationController
  def create
    answer = HTTP.post("#{CORE}/api/sailings/#{params[:sailing]}/crew", json: {})
    Events.publish("crew.assigned", id: answer.id)
  end

  def show
    answer = HTTP.get("#{CORE}/api/sailings/#{params[:sailing]}/crew")
    member = CrewMember.find(params[:id])
    render json: { until: member.rest_until }
  end

  def cargo
    ship = Ship.find(params[:id])
    HTTP.post("#{CORE}/api/sailings/#{params[:sailing]}/cargo")
    render json: { until: ship.rest_until }
  end
end
""",
    "config/routes.rb": """\
Rails.application.routes.draw do
  post "sailings/:sailing/crew", to: "crew#create"
end
""",
    "app/jobs/rest_job.rb": """\
class RestJob
  def perform
    hours = ENV.fetch("CREW_REST_HOURS", "11").to_i
    days = ENV.fetch("CREW_REST_DAYS", "2").to_i
    # CREW_REST_HOURS comes from the law
    CrewMember.where("rest_until < ?", Time.now).each(&:wake)
    Ship.where("rest_until < ?", Time.now).each(&:wake)
    ActiveRecord::Base.connection.execute("UPDATE crew_members SET rest_until = NULL")
  end
end
""",
}

NOTIFIER = {
    "src/main/kotlin/Notifier.kt": """\
package notifier

class Notifier(private val bus: Bus) {
    fun start() {
        bus.subscribe("crew.assigned") { event -> tell(event) }
        bus.subscribe("crew.assigned.late") { event -> tell(event) }
        bus.subscribe("ship.crew.assigned") { event -> tell(event) }
        bus.subscribe("crew.#") { event -> audit(event) }
    }

    // crew.assigned may come twice
    fun tell(event: CrewAssigned) {
        println("crew.assigned arrived for " + event.member)
    }

    fun hours(config: Config): Int = config.getInt("crew.rest.hours")

    fun longest(config: Config): Int = config.getInt("crew.rest.hours.longest")
}
""",
    "src/main/kotlin/Events.kt": """\
package notifier

data class CrewAssigned(val member: Int)

data class CrewAssignedAway(val member: Int)

const val CREW_ASSIGNED = "crew.assigned"
""",
    "src/main/kotlin/Replay.kt": """\
package notifier

class Replay(private val bus: Bus) {
    fun replay() {
        bus.send(CREW_ASSIGNED, CrewAssigned(4))
        bus.send("crew.assignedAgain", CrewAssignedAway(4))
    }

    fun listen() {
        bus.listenTo(CREW_ASSIGNED)
    }
}
""",
    "src/main/kotlin/Client.kt": """\
package notifier

class Client(private val web: WebClient) {
    fun assign(id: Int) =
        web.post()
            .uri("/api/sailings/{id}/crew", id)
            .retrieve()

    fun cargo(id: Int) =
        web.post()
            .uri("/api/sailings/{id}/cargo", id)
            .retrieve()
}
""",
}

DASHBOARD = {
    "src/crew.js": """\
const http = require('axios');

async function assign(sailing, member) {
  return http.post('/api/sailings/' + sailing + '/crew', { member });
}

async function crewOf(sailing) {
  return http.get('/api/sailings/' + sailing + '/crew');
}

async function crewHistory(sailing) {
  return http.post(`/api/sailings/${sailing}/crew/history`);
}

function restOf(crewMember) {
  return crewMember.restUntil;
}

function shipRest(ship) {
  return ship.restUntil;
}

module.exports = { assign, crewOf, crewHistory, restOf, shipRest };
""",
    "cypress/crew.spec.js": """\
it('assigns', () => {
  cy.intercept('POST', '/api/sailings/*/crew').as('assign');
  cy.intercept('POST', '/api/sailings/*/cargo').as('load');
  cy.request('POST', '/api/sailings/12/crew', {});
});
""",
    "openapi.yaml": """\
paths:
  /api/sailings/{sailing}/crew:
    get:
      summary: Who works on it
    post:
      summary: Add somebody
  /api/sailings/{sailing}/cargo:
    post:
      summary: Load
""",
    "charts/values.yaml": """\
crew:
  rest:
    hours: 12
    days: 2
env:
  CREW_REST_HOURS: "12"
  CREW_REST_HOURS_MIN: "9"
args: ["--crew-rest-hours=12", "--rest-hours=3"]
""",
    "docs/crew.md": """\
# Crew

Assign somebody with `POST /api/sailings/{sailing}/crew`; `GET /api/sailings/{sailing}/crew` lists them.

`CREW_REST_HOURS` says how long they rest. `crew.assigned` is published afterwards.
""",
}

HELD_REPOSITORIES = {"crew-core": CREW_CORE, "crew-web": CREW_WEB, "notifier": NOTIFIER, "dashboard": DASHBOARD}

HELD = (
    Labelled(
        "RosterService.AssignCrew",
        "symbol",
        uses={
            "crew-core/Crew/RosterService.cs": ("AssignCrew(sailing, one)", "this.AssignCrew(sailing, other)"),
            "crew-core/Crew/RosterController.cs": ("_service.AssignCrew",),
            "crew-core/Crew.Tests/RosterTests.cs": ("service.AssignCrew(1, 2)",),
        },
        defines={"crew-core/Crew/RosterService.cs": ("public Roster AssignCrew",)},
        either={},
        unlike={
            "crew-core/Crew/RosterService.cs": (
                "AssignCrew begins",
                "AssignCrewLater(sailing);",
                "// AssignCrew",
                "void AssignCrewLater",
            ),
            "crew-core/Crew/ShipService.cs": ("public int AssignCrew", "this.AssignCrew(ship)"),
            "crew-core/Crew.Tests/RosterTests.cs": ("ships.AssignCrew(null)",),
        },
    ),
    Labelled(
        "POST /api/sailings/{id}/crew",
        "route",
        uses={
            "crew-web/app/controllers/crew_controller.rb": (
                'HTTP.post("#{CORE}/api/sailings/#{params[:sailing]}/crew',
            ),
            "notifier/src/main/kotlin/Client.kt": ('.uri("/api/sailings/{id}/crew"',),
            "dashboard/src/crew.js": ("http.post('/api/sailings/' + sailing + '/crew'",),
            "dashboard/cypress/crew.spec.js": ("/api/sailings/*/crew", "/api/sailings/12/crew"),
            "dashboard/docs/crew.md": ("Assign somebody",),
        },
        defines={"crew-core/Crew/RosterController.cs": ('[HttpPost("{sailing}/crew")]',)},
        either={
            "dashboard/openapi.yaml": ("/api/sailings/{sailing}/crew:",),
            "crew-web/config/routes.rb": ('post "sailings/:sailing/crew"',),
        },
        unlike={
            "crew-core/Crew/RosterController.cs": (
                '[Route("api/sailings")]',
                '[HttpGet("{sailing}/crew")]',
                '[HttpPost("{sailing}/cargo")]',
            ),
            "crew-web/app/controllers/crew_controller.rb": ("HTTP.get(", "/cargo"),
            "notifier/src/main/kotlin/Client.kt": ("/cargo",),
            "dashboard/src/crew.js": ("http.get(", "/crew/history"),
            "dashboard/cypress/crew.spec.js": ("/cargo",),
            "dashboard/openapi.yaml": ("/cargo",),
        },
    ),
    Labelled(
        "crew.assigned",
        "event",
        uses={
            "notifier/src/main/kotlin/Notifier.kt": (
                'subscribe("crew.assigned")',
                '"crew.#"',
                "fun tell(event: CrewAssigned)",
            ),
            "notifier/src/main/kotlin/Replay.kt": ("bus.listenTo(CREW_ASSIGNED)",),
            "dashboard/docs/crew.md": ("is published afterwards",),
        },
        defines={
            "crew-web/app/controllers/crew_controller.rb": ('Events.publish("crew.assigned"',),
            "notifier/src/main/kotlin/Events.kt": ("data class CrewAssigned(", "const val CREW_ASSIGNED"),
            "notifier/src/main/kotlin/Replay.kt": ("bus.send(CREW_ASSIGNED",),
        },
        either={},
        unlike={
            "notifier/src/main/kotlin/Notifier.kt": (
                "crew.assigned.late",
                "ship.crew.assigned",
                "// crew.assigned",
                "crew.assigned arrived",
            ),
            "notifier/src/main/kotlin/Events.kt": ("CrewAssignedAway",),
            "notifier/src/main/kotlin/Replay.kt": ("crew.assignedAgain",),
        },
    ),
    Labelled(
        "CREW_REST_HOURS",
        "config",
        uses={
            "crew-core/Crew/ShipService.cs": ('"CREW_REST_HOURS")',),
            "crew-web/app/jobs/rest_job.rb": ('"CREW_REST_HOURS"',),
            "notifier/src/main/kotlin/Notifier.kt": ('getInt("crew.rest.hours")',),
            "dashboard/charts/values.yaml": ("hours: 12", 'CREW_REST_HOURS: "12"', "--crew-rest-hours=12"),
            "dashboard/docs/crew.md": ("is published afterwards",),
        },
        defines={"crew-core/appsettings.json": ('"Hours": 11',)},
        either={},
        unlike={
            "crew-core/Crew/ShipService.cs": ("CREW_REST_HOURS_MIN",),
            "crew-core/appsettings.json": ('"Minutes": 30',),
            "crew-web/app/jobs/rest_job.rb": ("CREW_REST_DAYS", "# CREW_REST_HOURS"),
            "notifier/src/main/kotlin/Notifier.kt": ("crew.rest.hours.longest",),
            "dashboard/charts/values.yaml": ("days: 2", "CREW_REST_HOURS_MIN"),
        },
    ),
    Labelled(
        "crew_members.rest_until",
        "column",
        uses={
            "crew-core/sql/crew.sql": ("WHERE c.rest_until", "DELETE FROM crew_members WHERE rest_until"),
            "crew-web/app/models/crew_member.rb": ("rest_until.present?", "update(rest_until: nil)"),
            "crew-web/app/controllers/crew_controller.rb": ("member.rest_until",),
            "crew-web/app/jobs/rest_job.rb": ('CrewMember.where("rest_until', "UPDATE crew_members SET rest_until"),
            "dashboard/src/crew.js": ("crewMember.restUntil",),
        },
        defines={"crew-core/sql/crew.sql": ("rest_until TIMESTAMPTZ@1",)},
        either={},
        unlike={
            "crew-core/sql/crew.sql": ("rest_until TIMESTAMPTZ@2", "SELECT s.rest_until", "DELETE FROM ships WHERE"),
            "crew-web/app/controllers/crew_controller.rb": ("ship.rest_until",),
            "crew-web/app/jobs/rest_job.rb": ('Ship.where("rest_until',),
            "dashboard/src/crew.js": ("ship.restUntil",),
        },
    ),
    Labelled(
        "crew_members",
        "table",
        uses={
            "crew-core/sql/crew.sql": ("ALTER TABLE crew_members", "JOIN crew_members c", "DELETE FROM crew_members"),
            "crew-web/app/jobs/rest_job.rb": ("UPDATE crew_members", "CrewMember.where"),
            "crew-web/app/controllers/crew_controller.rb": ("CrewMember.find",),
        },
        defines={
            "crew-core/sql/crew.sql": ("CREATE TABLE crew_members",),
            "crew-web/app/models/crew_member.rb": ("class CrewMember <", "self.table_name"),
        },
        either={},
        unlike={
            "crew-core/sql/crew.sql": ("CREATE TABLE ships",),
            "dashboard/src/crew.js": ("function restOf(crewMember)",),
        },
    ),
)
