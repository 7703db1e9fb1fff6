/**
 * The issuer's names of merchant categories, and the codes that each stands for.
 *
 * - MCC: four digits of ISO 18245, as in our rules.
 * - category: the issuer's name. Its spending controls take names alone.
 *
 * Source: docs.stripe.com/issuing/categories; the names are those of the pinned package's types, which a test compares.
 */

/** Code, name, code, name. */
const table = `
0742 veterinary_services  0763 agricultural_cooperative  0780 landscaping_services  1520 general_services
1711 heating_plumbing_a_c  1731 electrical_services  1740 masonry_stonework_and_plaster
1750 carpentry_services  1761 roofing_siding_sheet_metal  1771 concrete_work_services
1799 special_trade_services  2741 miscellaneous_publishing_and_printing
2791 typesetting_plate_making_and_related_services  2842 specialty_cleaning  4011 railroads
4111 commuter_transport_and_ferries  4112 passenger_railways  4119 ambulance_services
4121 taxicabs_limousines  4131 bus_lines  4214 motor_freight_carriers_and_trucking  4215 courier_services
4225 public_warehousing_and_storage  4411 cruise_lines  4457 boat_rentals_and_leases
4468 marinas_service_and_supplies  4511 airlines_air_carriers  4582 airports_flying_fields
4722 travel_agencies_tour_operators  4723 t_ui_travel_germany  4784 tolls_bridge_fees
4789 transportation_services  4812 telecommunication_equipment_and_telephone_sales
4814 telecommunication_services  4816 computer_network_services  4821 telegraph_services
4829 wires_money_orders  4899 cable_satellite_and_other_pay_television_and_radio  4900 utilities
5013 motor_vehicle_supplies_and_new_parts  5021 office_and_commercial_furniture  5039 construction_materials
5044 photographic_photocopy_microfilm_equipment_and_supplies  5045 computers_peripherals_and_software
5046 commercial_equipment  5047 medical_dental_ophthalmic_and_hospital_equipment_and_supplies
5051 metal_service_centers  5065 electrical_parts_and_equipment  5072 hardware_equipment_and_supplies
5074 plumbing_heating_equipment_and_supplies  5085 industrial_supplies
5094 precious_stones_and_metals_watches_and_jewelry  5099 durable_goods
5111 stationary_office_supplies_printing_and_writing_paper
5122 drugs_drug_proprietaries_and_druggist_sundries  5131 piece_goods_notions_and_other_dry_goods
5137 uniforms_commercial_clothing  5139 commercial_footwear  5169 chemicals_and_allied_products
5172 petroleum_and_petroleum_products  5192 books_periodicals_and_newspapers
5193 florists_supplies_nursery_stock_and_flowers  5198 paints_varnishes_and_supplies  5199 nondurable_goods
5200 home_supply_warehouse_stores  5211 lumber_building_materials_stores
5231 glass_paint_and_wallpaper_stores  5251 hardware_stores  5261 nurseries_lawn_and_garden_supply_stores
5262 marketplaces  5271 mobile_home_dealers  5300 wholesale_clubs  5309 duty_free_stores  5310 discount_stores
5311 department_stores  5331 variety_stores  5399 miscellaneous_general_merchandise
5411 grocery_stores_supermarkets  5422 freezer_and_locker_meat_provisioners
5441 candy_nut_and_confectionery_stores  5451 dairy_products_stores  5462 bakeries
5499 miscellaneous_food_stores  5511 car_and_truck_dealers_new_used  5521 car_and_truck_dealers_used_only
5531 auto_and_home_supply_stores  5532 automotive_tire_stores  5533 automotive_parts_and_accessories_stores
5541 service_stations  5542 automated_fuel_dispensers  5551 boat_dealers  5552 electric_vehicle_charging
5561 motorcycle_shops_dealers  5571 motorcycle_shops_and_dealers  5592 motor_homes_dealers
5598 snowmobile_dealers  5599 miscellaneous_auto_dealers  5611 mens_and_boys_clothing_and_accessories_stores
5621 womens_ready_to_wear_stores  5631 womens_accessory_and_specialty_shops
5641 childrens_and_infants_wear_stores  5651 family_clothing_stores  5655 sports_and_riding_apparel_stores
5661 shoe_stores  5681 furriers_and_fur_shops  5691 mens_womens_clothing_stores  5697 tailors_alterations
5698 wig_and_toupee_stores  5699 miscellaneous_apparel_and_accessory_shops
5712 furniture_home_furnishings_and_equipment_stores_except_appliances  5713 floor_covering_stores
5714 drapery_window_covering_and_upholstery_stores  5718 fireplace_fireplace_screens_and_accessories_stores
5719 miscellaneous_home_furnishing_specialty_stores  5722 household_appliance_stores  5732 electronics_stores
5733 music_stores_musical_instruments_pianos_and_sheet_music  5734 computer_software_stores
5735 record_stores  5811 caterers  5812 eating_places_restaurants  5813 drinking_places
5814 fast_food_restaurants  5815 digital_goods_media  5816 digital_goods_games
5817 digital_goods_applications  5818 digital_goods_large_volume  5912 drug_stores_and_pharmacies
5921 package_stores_beer_wine_and_liquor  5931 used_merchandise_and_secondhand_stores  5932 antique_shops
5933 pawn_shops  5935 wrecking_and_salvage_yards  5937 antique_reproductions  5940 bicycle_shops
5941 sporting_goods_stores  5942 book_stores  5943 stationery_stores_office_and_school_supply_stores
5944 jewelry_stores_watches_clocks_and_silverware_stores  5945 hobby_toy_and_game_shops
5946 camera_and_photographic_supply_stores  5947 gift_card_novelty_and_souvenir_shops
5948 luggage_and_leather_goods_stores  5949 sewing_needlework_fabric_and_piece_goods_stores
5950 glassware_crystal_stores  5960 direct_marketing_insurance_services  5962 direct_marketing_travel
5963 door_to_door_sales  5964 direct_marketing_catalog_merchant
5965 direct_marketing_combination_catalog_and_retail_merchant  5966 direct_marketing_outbound_telemarketing
5967 direct_marketing_inbound_telemarketing  5968 direct_marketing_subscription  5969 direct_marketing_other
5970 artists_supply_and_craft_shops  5971 art_dealers_and_galleries  5972 stamp_and_coin_stores
5973 religious_goods_stores  5975 hearing_aids_sales_and_supplies  5976 orthopedic_goods_prosthetic_devices
5977 cosmetic_stores  5978 typewriter_stores  5983 fuel_dealers_non_automotive  5992 florists
5993 cigar_stores_and_stands  5994 news_dealers_and_newsstands  5995 pet_shops_pet_food_and_supplies
5996 swimming_pools_sales  5997 electric_razor_stores  5998 tent_and_awning_shops
5999 miscellaneous_specialty_retail  6010 manual_cash_disburse  6011 automated_cash_disburse
6012 financial_institutions  6051 non_fi_money_orders  6211 security_brokers_dealers
6300 insurance_underwriting_premiums  6399 insurance_default  6513 real_estate_agents_and_managers_rentals
6540 non_fi_stored_value_card_purchase_load  7011 hotels_motels_and_resorts  7012 timeshares
7032 sporting_recreation_camps  7033 trailer_parks_campgrounds  7210 laundry_cleaning_services  7211 laundries
7216 dry_cleaners  7217 carpet_upholstery_cleaning  7221 photographic_studios  7230 barber_and_beauty_shops
7251 shoe_repair_hat_cleaning  7261 funeral_services_crematories  7273 dating_escort_services
7276 tax_preparation_services  7277 counseling_services  7278 buying_shopping_services  7296 clothing_rental
7297 massage_parlors  7298 health_and_beauty_spas  7299 miscellaneous_general_services
7311 advertising_services  7321 credit_reporting_agencies  7333 commercial_photography_art_and_graphics
7338 quick_copy_repro_and_blueprint  7339 secretarial_support_services  7342 exterminating_services
7349 cleaning_and_maintenance  7361 employment_temp_agencies  7372 computer_programming
7375 information_retrieval_services  7379 computer_repair  7392 consulting_public_relations
7393 detective_agencies  7394 equipment_rental  7395 photo_developing  7399 miscellaneous_business_services
7511 truck_stop_iteration  7512 car_rental_agencies  7513 truck_utility_trailer_rentals
7519 recreational_vehicle_rentals  7523 parking_lots_garages  7531 auto_body_repair_shops
7534 tire_retreading_and_repair  7535 auto_paint_shops  7538 auto_service_shops  7542 car_washes
7549 towing_services  7622 electronics_repair_shops  7623 ac_refrigeration_repair  7629 small_appliance_repair
7631 watch_jewelry_repair  7641 furniture_repair_refinishing  7692 welding_repair
7699 miscellaneous_repair_shops  7800 government_owned_lotteries_us_region_only
7801 government_licensed_online_casions_online_gambling_us_region_only
7802 government_licensed_horse_dog_racing_us_region_only  7829 picture_video_production
7832 motion_picture_theaters  7841 video_tape_rental_stores  7911 dance_hall_studios_schools
7922 theatrical_ticket_agencies  7929 bands_orchestras  7932 billiard_pool_establishments  7933 bowling_alleys
7941 sports_clubs_fields  7991 tourist_attractions_and_exhibits  7992 golf_courses_public
7993 video_amusement_game_supplies  7994 video_game_arcades  7995 betting_casino_gambling
7996 amusement_parks_carnivals  7997 country_clubs  7998 aquariums  7999 miscellaneous_recreation_services
8011 doctors  8021 dentists_orthodontists  8031 osteopaths  8041 chiropractors
8042 optometrists_ophthalmologist  8043 opticians_eyeglasses  8049 chiropodists_podiatrists
8050 nursing_personal_care  8062 hospitals  8071 medical_and_dental_labs  8099 medical_services
8111 legal_services_attorneys  8211 elementary_secondary_schools  8220 colleges_universities
8241 correspondence_schools  8244 business_secretarial_schools  8249 vocational_trade_schools
8299 educational_services  8351 child_care_services
8398 charitable_and_social_service_organizations_fundraising  8641 civic_social_fraternal_associations
8651 political_organizations  8661 religious_organizations  8675 automobile_associations
8699 membership_organizations  8734 testing_laboratories  8911 architectural_surveying_services
8931 accounting_bookkeeping_services  8999 professional_services  9211 court_costs
9222 fines_government_administrative_entities  9223 bail_and_bond_payments
9311 tax_payments_government_agencies  9399 government_services  9402 postal_services_government_only
9405 u_s_federal_government_agencies_or_departments  9406 government_owned_lotteries_non_us_region
9702 emergency_services_gcas_visa_use_only  9950 intra_company_purchases
`;

/** Airlines, car rental agencies and hotels have a code for each large company. Source: ISO 18245, 3000 to 3999. */
const companies = [
  { from: 3000, to: 3299, category: "airlines_air_carriers" },
  { from: 3351, to: 3441, category: "car_rental_agencies" },
  { from: 3501, to: 3999, category: "hotels_motels_and_resorts" },
] as const;

/** What the issuer calls a merchant whose code has no name of its own. */
const otherCategory = "miscellaneous";

const named = new Map([...table.matchAll(/(\d{4}) (\w+)/g)].map(([, mcc = "", category = ""]) => [mcc, category]));

/** The issuer's category of an MCC; `miscellaneous` for an unknown one. */
export function categoryOf(mcc: string): string {
  const company = companies.find(({ from, to }) => Number(mcc) >= from && Number(mcc) <= to);
  return named.get(mcc) ?? company?.category ?? otherCategory;
}

const mccCount = 10_000;
const mccsByCategory = Map.groupBy(
  Array.from({ length: mccCount }, (_, number) => String(number).padStart(4, "0")),
  categoryOf,
);

/** Every category of the issuer. */
export const merchantCategories: readonly string[] = [...mccsByCategory.keys()].toSorted();

/** The categories whose every MCC meets a condition. */
export const listCategories = (isMet: (mcc: string) => boolean): string[] =>
  merchantCategories.filter((category) => mccsByCategory.get(category)?.every(isMet));

/** An MCC that the issuer names so; null for an unknown category. */
export const findMcc = (category: string): string | null =>
  [...named].find(([, name]) => name === category)?.[0] ?? null;
